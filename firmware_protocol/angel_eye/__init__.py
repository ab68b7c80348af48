"""The Angel Eye shoe's telegrams, both ends of the line. What is known of them, and what is not: PROTOCOL.md."""
