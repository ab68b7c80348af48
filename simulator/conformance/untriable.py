"""Clauses that bind a shoe and cannot be tried from outside it, each with its reason."""

UNTRIABLE: dict[str, str] = {}
