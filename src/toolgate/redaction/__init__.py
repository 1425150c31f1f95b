"""Detection of secrets and personal data in text, and their replacement by placeholders."""
