"""PostgreSQL, for the processes of the house: `connection.py` is the one file that knows the library."""
