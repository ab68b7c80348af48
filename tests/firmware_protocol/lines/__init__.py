"""Tests of the wire on which a reader sends one id per line."""
