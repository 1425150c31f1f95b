"""Shows the audit log as one HTML file: figures at the top, each call on demand. Nothing is fetched, and nothing in it executes
what was recorded."""
