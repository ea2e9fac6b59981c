"""What of docs/ is made from the sources: references, the schema for editors, tables, pictures.

PYTHONPATH=docs:tests .venv/bin/python -m generate           writes what is not in step
PYTHONPATH=docs:tests .venv/bin/python -m generate --check   names it, exit 1

Each module makes texts from what the program itself uses: ``keys``, ``schema`` and ``job_file`` from the models of the
job file, ``commands`` from click's commands, ``errors`` from the tree of errors and the words, ``answers`` from the
schemas that real answers are tested against, ``states`` from the transition tables, ``rooms`` from the contracts of
imports, ``decisions`` from the titles of the decisions. ``made`` says which file comes from what.
"""
