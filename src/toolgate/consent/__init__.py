"""Approvals, counters and lockouts: pure functions over documents of state, which `stores` keeps."""
