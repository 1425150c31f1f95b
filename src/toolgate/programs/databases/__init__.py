"""Clients and tools of databases, queues and backups."""
