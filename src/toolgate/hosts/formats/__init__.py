"""Formats that several hosts share: payloads, answers, tools, and settings that register hooks or a plugin."""
