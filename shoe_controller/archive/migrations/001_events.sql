-- The events as they came. Everything else can be made again from them.

CREATE TABLE archive.journal (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    site text NOT NULL,
    table_name text NOT NULL,
    journal text NOT NULL,
    have bigint NOT NULL DEFAULT 0 CHECK (have >= 0),
    newest bigint NOT NULL DEFAULT 0,
    head_number bigint,
    head_hash bytea,
    state text NOT NULL DEFAULT 'current' CHECK (state IN ('current', 'set_aside')),
    first_seen timestamptz NOT NULL DEFAULT now(),
    last_seen timestamptz NOT NULL DEFAULT now(),
    UNIQUE (site, table_name, journal)
);
COMMENT ON TABLE archive.journal IS 'The journals of all tables, and how far each is stored. A table whose journal was replaced has several.';
COMMENT ON COLUMN archive.journal.id IS 'The number of the journal in this database.';
COMMENT ON COLUMN archive.journal.site IS 'The site, as in topics.';
COMMENT ON COLUMN archive.journal.table_name IS 'The table, as in topics.';
COMMENT ON COLUMN archive.journal.journal IS 'The id of the journal, as in every event.';
COMMENT ON COLUMN archive.journal.have IS 'The last event that is stored: every one up to it is in archive.event, or within a row of archive.hole or archive.dropped_month. It moves in the transaction that stores the events.';
COMMENT ON COLUMN archive.journal.newest IS 'The last event that the table has announced; above have while events are still to come.';
COMMENT ON COLUMN archive.journal.head_number IS 'The record of the newest head that the table has announced; null before the first.';
COMMENT ON COLUMN archive.journal.head_hash IS 'Its hash, BLAKE2s.';
COMMENT ON COLUMN archive.journal.state IS 'current while the table writes to it, set_aside after another journal has taken its place.';
COMMENT ON COLUMN archive.journal.first_seen IS 'When the archive saw it first, by the clock of the database.';
COMMENT ON COLUMN archive.journal.last_seen IS 'When something of it was stored last, by the clock of the database.';

-- No foreign key to archive.journal: it would be looked up for every row, and only archive_writer stores any.
CREATE TABLE archive.event (
    journal_id integer NOT NULL,
    seq bigint NOT NULL,
    at timestamptz NOT NULL,
    fact text NOT NULL,
    shoe integer NOT NULL,
    round integer NOT NULL,
    topic bytea NOT NULL,
    payload bytea NOT NULL,
    content jsonb,
    content_refused text,
    PRIMARY KEY (journal_id, seq, at),
    CHECK ((content IS NULL) = (content_refused IS NOT NULL))
) PARTITION BY RANGE (at);
COMMENT ON TABLE archive.event IS 'Every event of every journal, once, as it was published. One partition for each month (UTC), made when it is needed.';
COMMENT ON COLUMN archive.event.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.event.seq IS 'The number of the event in its journal, from 1 without a gap.';
COMMENT ON COLUMN archive.event.at IS 'When it happened, by the clock of the table.';
COMMENT ON COLUMN archive.event.fact IS 'What happened, as round_result; docs/mqtt.md describes each.';
COMMENT ON COLUMN archive.event.shoe IS 'The shoe of this journal, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.event.round IS 'The round of the shoe, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.event.topic IS 'The topic that it was published on, below the one of its table: event/card.';
COMMENT ON COLUMN archive.event.payload IS 'The message, byte for byte.';
COMMENT ON COLUMN archive.event.content IS 'The same as jsonb, for queries; null where PostgreSQL refuses it.';
COMMENT ON COLUMN archive.event.content_refused IS 'Why content is null; null otherwise.';

CREATE TABLE archive.hole (
    journal_id integer NOT NULL REFERENCES archive.journal,
    first bigint NOT NULL,
    last bigint NOT NULL,
    why text NOT NULL CHECK (why IN ('pruned')),
    found_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (journal_id, first),
    CHECK (first <= last)
);
COMMENT ON TABLE archive.hole IS 'Events that are not here because the table did not have them any more when they were requested.';
COMMENT ON COLUMN archive.hole.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.hole.first IS 'The first event that is missing.';
COMMENT ON COLUMN archive.hole.last IS 'The last event that is missing.';
COMMENT ON COLUMN archive.hole.why IS 'pruned: the table had removed them from its journal.';
COMMENT ON COLUMN archive.hole.found_at IS 'When this was found, by the clock of the database.';

CREATE TABLE archive.head (
    journal_id integer NOT NULL REFERENCES archive.journal,
    number bigint NOT NULL,
    hash bytea NOT NULL,
    seq bigint,
    announced_at timestamptz NOT NULL,
    PRIMARY KEY (journal_id, number, hash)
);
COMMENT ON TABLE archive.head IS 'Ends of the hash chain of a journal, as its table announced them: whoever changes the journal up to one of them later is found out.';
COMMENT ON COLUMN archive.head.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.head.number IS 'The number of the record of the journal.';
COMMENT ON COLUMN archive.head.hash IS 'Its hash, BLAKE2s. Two of one number are two histories.';
COMMENT ON COLUMN archive.head.seq IS 'The event that announced it; null where a retained message did.';
COMMENT ON COLUMN archive.head.announced_at IS 'When: by the clock of the table for an event, by that of the archive for a retained message.';

CREATE TABLE archive.dropped_month (
    month date NOT NULL,
    journal_id integer NOT NULL REFERENCES archive.journal,
    first bigint NOT NULL,
    last bigint NOT NULL,
    events bigint NOT NULL,
    dropped_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (month, journal_id, dropped_at)
);
COMMENT ON TABLE archive.dropped_month IS 'Months of events that were dropped because they were older than the house keeps them.';
COMMENT ON COLUMN archive.dropped_month.month IS 'The first day of the month.';
COMMENT ON COLUMN archive.dropped_month.journal_id IS 'A journal that had events in it, as in archive.journal.';
COMMENT ON COLUMN archive.dropped_month.first IS 'The first of its events that was dropped.';
COMMENT ON COLUMN archive.dropped_month.last IS 'The last of its events that was dropped.';
COMMENT ON COLUMN archive.dropped_month.events IS 'How many of its events were dropped.';
COMMENT ON COLUMN archive.dropped_month.dropped_at IS 'When, by the clock of the database.';
