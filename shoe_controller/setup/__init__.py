"""What a new table needs before it can run: its file, its key, its users and certificates at the broker.

`access_list.py` says who may do what at the broker, and is read by the doctor too. The rest is written by
`shoe-controller init`.
"""
