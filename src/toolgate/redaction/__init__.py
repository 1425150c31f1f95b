"""Finding secrets and personal data in text, and putting something else in their place."""
