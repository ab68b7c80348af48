"""The commands of `shoe-controller`, one file each: read what was typed, ask the product, show the answer."""
