"""The commands of `shoe-controller`, one file each: parse the arguments, call the product, print the result."""
