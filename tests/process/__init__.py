"""What every process of the product shares: its log."""
