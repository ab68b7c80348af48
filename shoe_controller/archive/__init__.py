"""`shoe-controller archive`: every event of every table of a site, in PostgreSQL, once."""
