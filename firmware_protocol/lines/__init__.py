"""The wire of readers that send one card or tag id per line; see PROTOCOL.md."""
