-- Run at every start, before the numbered files: where these are recorded. It changes nothing that is there.
CREATE SCHEMA IF NOT EXISTS archive;
COMMENT ON SCHEMA archive IS 'Every event of every table of the house, once, as it was published, and what was made of them.';

CREATE TABLE IF NOT EXISTS archive.migration (
    number integer PRIMARY KEY,
    name text NOT NULL,
    digest text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE archive.migration IS 'The steps by which this schema was made, in order.';
COMMENT ON COLUMN archive.migration.number IS 'Counted from 1 without a gap.';
COMMENT ON COLUMN archive.migration.name IS 'The name of the file.';
COMMENT ON COLUMN archive.migration.digest IS 'SHA-256 of the file, in hexadecimal digits: a step that was applied never changes.';
COMMENT ON COLUMN archive.migration.applied_at IS 'When it was applied, by the clock of the database.';

GRANT USAGE ON SCHEMA archive TO archive_reader;
ALTER DEFAULT PRIVILEGES IN SCHEMA archive GRANT SELECT ON TABLES TO archive_reader;
GRANT SELECT ON archive.migration TO archive_reader;
