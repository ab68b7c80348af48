"""Words for codes: the one place where the product makes sentences for people, from the tables in `messages/words`."""
