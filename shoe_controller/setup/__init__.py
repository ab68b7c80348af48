"""What a new table needs before it can run: its file, its key, its users and certificates at the broker.

`access_list.py` has the rights of each role at the broker, and is used by the doctor too. The rest is for
`shoe-controller init`.
"""
