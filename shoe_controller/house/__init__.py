"""The rules of a house: its catalogue files, its configuration as texts, and the rules built from both."""
