"""What the documents say can be typed, is typed here.

- `snippets.py`: finds every block and every command of every document
- `places.py`: what a command finds where it is run: a house made by `init`, and files to work on
- `running.py`: runs one command as its reader would
- `test_every_snippet.py`: nothing in a document is left out; what is not run stands in a list with its reason
- `test_commands.py`: the commands do what a reader expects
- `test_security.py`: after a secret was lost, everything works with a new one
- `test_configuration.py`, `test_words.py`: pieces of files, links, names and figures

Some documents have tests beside what they describe, which know more of it: `test_every_snippet.py` names them.
"""
