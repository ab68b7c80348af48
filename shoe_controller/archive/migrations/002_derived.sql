-- The house's tables, made from archive.event alone: `shoe_controller/archive/derived` writes them, and can make them anew.
-- No foreign keys: rows come in the order of the events, and only archive_writer stores any.

CREATE TABLE archive.shoe (
    journal_id bigint NOT NULL,
    shoe bigint NOT NULL,
    site text NOT NULL,
    table_name text NOT NULL,
    opened_at timestamptz,
    opened_seq bigint,
    opened_by text,
    decks bigint,
    card_sets jsonb,
    game text,
    currency text,
    decimals bigint,
    commission_rate text,
    commission_taken text,
    rules_hash text,
    rules jsonb,
    first_card text,
    burned bigint,
    cut_card_at timestamptz,
    last_round bigint,
    ended_at timestamptz,
    ended_seq bigint,
    ended_why text,
    ended_reason text,
    cards_out bigint,
    inventory jsonb,
    commission_due jsonb,
    remainder_expected bigint,
    remainder_found bigint,
    remainder_fits boolean,
    remainder_faces jsonb,
    exchanges bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (journal_id, shoe)
);
COMMENT ON TABLE archive.shoe IS 'The shoes: opened, what was dealt from them by which rules, ended, and where their cards are.';
COMMENT ON COLUMN archive.shoe.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.shoe.shoe IS 'The shoe, counted from 1 in its journal.';
COMMENT ON COLUMN archive.shoe.site IS 'The site, as in topics.';
COMMENT ON COLUMN archive.shoe.table_name IS 'The table, as in topics.';
COMMENT ON COLUMN archive.shoe.opened_at IS 'When it was opened; null where an earlier journal, or an event that is not here, opened it.';
COMMENT ON COLUMN archive.shoe.opened_seq IS 'The event that opened it.';
COMMENT ON COLUMN archive.shoe.opened_by IS 'Who or what opened it: the id of a person, or a code.';
COMMENT ON COLUMN archive.shoe.decks IS 'How many decks are in it.';
COMMENT ON COLUMN archive.shoe.card_sets IS 'The sets of cards that belong to the table, as a list of names.';
COMMENT ON COLUMN archive.shoe.game IS 'The base game, by its id in the catalogue.';
COMMENT ON COLUMN archive.shoe.currency IS 'The currency as displays write it; may be empty. Amounts of different currencies are never added.';
COMMENT ON COLUMN archive.shoe.decimals IS 'How many digits of an amount stand behind the decimal point: with 2, 1050 is 10.50.';
COMMENT ON COLUMN archive.shoe.commission_rate IS 'What is taken from winnings: 5%, or 50/7%.';
COMMENT ON COLUMN archive.shoe.commission_taken IS 'at_once or marked.';
COMMENT ON COLUMN archive.shoe.rules_hash IS 'The same for shoes that were dealt by the same rules and prices.';
COMMENT ON COLUMN archive.shoe.rules IS 'All rules and prices of the shoe, as they were published.';
COMMENT ON COLUMN archive.shoe.first_card IS 'The first card, which is shown; null while it is not known.';
COMMENT ON COLUMN archive.shoe.burned IS 'Cards burned so far, the first card left aside.';
COMMENT ON COLUMN archive.shoe.cut_card_at IS 'When the cut card came.';
COMMENT ON COLUMN archive.shoe.last_round IS 'The number of the last round, which the cut card decides.';
COMMENT ON COLUMN archive.shoe.ended_at IS 'When it ended, the last time where a result was taken back after it; null before.';
COMMENT ON COLUMN archive.shoe.ended_seq IS 'The event that ended it, the last where it ended more than once.';
COMMENT ON COLUMN archive.shoe.ended_why IS 'Why it ended, as a code.';
COMMENT ON COLUMN archive.shoe.ended_reason IS 'The reason of the supervisor who ended it early.';
COMMENT ON COLUMN archive.shoe.cards_out IS 'Cards that left the shoe, read or not.';
COMMENT ON COLUMN archive.shoe.inventory IS 'Where its cards are: decks, known by face, unseen, foreign, remainder.';
COMMENT ON COLUMN archive.shoe.commission_due IS 'Commission marked and not collected when it ended, by seat, in minor units.';
COMMENT ON COLUMN archive.shoe.remainder_expected IS 'Cards that had to be left in it.';
COMMENT ON COLUMN archive.shoe.remainder_found IS 'Cards that were found in it.';
COMMENT ON COLUMN archive.shoe.remainder_fits IS 'Whether nothing is missing and nothing is extra.';
COMMENT ON COLUMN archive.shoe.remainder_faces IS 'Faces missing and extra, where the remainder came through the reader.';
COMMENT ON COLUMN archive.shoe.exchanges IS 'How often another shoe took its place with its cards in it.';

CREATE TABLE archive.round (
    journal_id bigint NOT NULL,
    shoe bigint NOT NULL,
    round bigint NOT NULL,
    site text NOT NULL,
    table_name text NOT NULL,
    state text,
    began_at timestamptz,
    closed_at timestamptz,
    closed_seq bigint,
    closed_by text,
    ended_at timestamptz,
    first_at timestamptz,
    last_at timestamptz,
    dealer text,
    free boolean,
    player_total bigint,
    banker_total bigint,
    player_cards text,
    banker_cards text,
    winner text,
    player_natural boolean,
    banker_natural boolean,
    player_pair boolean,
    banker_pair boolean,
    why text,
    confirmed_by text,
    result_seq bigint,
    settlement_seq bigint,
    stakes bigint,
    taken bigint,
    winnings bigint,
    commission bigint,
    cut bigint,
    paid bigint,
    returned bigint,
    house_win bigint,
    commission_marked bigint,
    void_reason text,
    corrections bigint NOT NULL DEFAULT 0,
    alerts bigint NOT NULL DEFAULT 0,
    replays bigint NOT NULL DEFAULT 0,
    extra_burned bigint NOT NULL DEFAULT 0,
    game text,
    currency text,
    decimals bigint,
    PRIMARY KEY (journal_id, shoe, round)
);
COMMENT ON TABLE archive.round IS 'The rounds as they stand now: one row for each, whatever was corrected, amended or taken back.';
COMMENT ON COLUMN archive.round.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.round.shoe IS 'The shoe of this journal, counted from 1.';
COMMENT ON COLUMN archive.round.round IS 'The round of the shoe, counted from 1.';
COMMENT ON COLUMN archive.round.site IS 'The site, as in topics.';
COMMENT ON COLUMN archive.round.table_name IS 'The table, as in topics.';
COMMENT ON COLUMN archive.round.state IS 'open: wagers may be placed; closed: it is dealt; settled; amended: settled again later; undone: its result was taken back; voided; not_dealt: the shoe ended before it was. Null where only what came around it is known.';
COMMENT ON COLUMN archive.round.began_at IS 'When its wagers were opened.';
COMMENT ON COLUMN archive.round.closed_at IS 'When its wagers were closed, the last time.';
COMMENT ON COLUMN archive.round.closed_seq IS 'The event that closed its wagers.';
COMMENT ON COLUMN archive.round.closed_by IS 'Who or what closed them: the id of a person, or a code.';
COMMENT ON COLUMN archive.round.ended_at IS 'When its result was confirmed, or it was voided.';
COMMENT ON COLUMN archive.round.first_at IS 'The time of its first event.';
COMMENT ON COLUMN archive.round.last_at IS 'The time of its last event; an amendment may come days later.';
COMMENT ON COLUMN archive.round.dealer IS 'The dealer on duty when its wagers were closed; null if none was.';
COMMENT ON COLUMN archive.round.free IS 'Whether it was dealt without wagers; null while that is not known.';
COMMENT ON COLUMN archive.round.player_total IS 'Points of Player''s hand.';
COMMENT ON COLUMN archive.round.banker_total IS 'Points of Banker''s hand.';
COMMENT ON COLUMN archive.round.player_cards IS 'Player''s cards in the order of the draw, as 9H 4D 2C.';
COMMENT ON COLUMN archive.round.banker_cards IS 'Banker''s cards in the order of the draw, as 9H 4D 2C.';
COMMENT ON COLUMN archive.round.winner IS 'player, banker or tie.';
COMMENT ON COLUMN archive.round.player_natural IS 'Whether Player has 8 or 9 on two cards.';
COMMENT ON COLUMN archive.round.banker_natural IS 'Whether Banker has 8 or 9 on two cards.';
COMMENT ON COLUMN archive.round.player_pair IS 'Whether Player''s first two cards have the same rank.';
COMMENT ON COLUMN archive.round.banker_pair IS 'Whether Banker''s first two cards have the same rank.';
COMMENT ON COLUMN archive.round.why IS 'Why no more cards were dealt, as a code.';
COMMENT ON COLUMN archive.round.confirmed_by IS 'Who or what confirmed the result: the id of a person, or a code.';
COMMENT ON COLUMN archive.round.result_seq IS 'The event with the result that stands.';
COMMENT ON COLUMN archive.round.settlement_seq IS 'The event with the settlement that stands; null where it had no wagers.';
COMMENT ON COLUMN archive.round.stakes IS 'The sum of all stakes, in minor units: the handle. 0 where it was voided; null before its wagers were closed.';
COMMENT ON COLUMN archive.round.taken IS 'Stakes that lost, in minor units.';
COMMENT ON COLUMN archive.round.winnings IS 'By the pay tables, before commission and before the limit of a round, in minor units.';
COMMENT ON COLUMN archive.round.commission IS 'Commission on winnings, in minor units, whether it is taken at once or marked.';
COMMENT ON COLUMN archive.round.cut IS 'Winnings that the limit of a round does not let the house pay, in minor units.';
COMMENT ON COLUMN archive.round.paid IS 'What the dealer pays, stakes not counted, in minor units.';
COMMENT ON COLUMN archive.round.returned IS 'Everything that goes back to players, in minor units: stakes that did not lose, and what is paid on them.';
COMMENT ON COLUMN archive.round.house_win IS 'stakes less returned, in minor units; below 0 where players won. Commission that is marked and collected later is not in it.';
COMMENT ON COLUMN archive.round.commission_marked IS 'The part of commission that is marked to be collected later, in minor units; 0 where it is taken at once.';
COMMENT ON COLUMN archive.round.void_reason IS 'Why it was voided.';
COMMENT ON COLUMN archive.round.corrections IS 'Corrected, assigned and discarded cards, corrected wagers, amendments and results taken back.';
COMMENT ON COLUMN archive.round.alerts IS 'Alerts that were raised in it.';
COMMENT ON COLUMN archive.round.replays IS 'How often its cards were voided and it was dealt again.';
COMMENT ON COLUMN archive.round.extra_burned IS 'Extra cards of it that were burned.';
COMMENT ON COLUMN archive.round.game IS 'The base game, by its id in the catalogue.';
COMMENT ON COLUMN archive.round.currency IS 'The currency as displays write it; may be empty. Amounts of different currencies are never added.';
COMMENT ON COLUMN archive.round.decimals IS 'How many digits of an amount stand behind the decimal point: with 2, 1050 is 10.50.';

CREATE TABLE archive.result (
    journal_id bigint NOT NULL,
    seq bigint NOT NULL,
    at timestamptz NOT NULL,
    site text NOT NULL,
    table_name text NOT NULL,
    shoe bigint NOT NULL,
    round bigint NOT NULL,
    kind text,
    player_total bigint,
    banker_total bigint,
    player_cards text,
    banker_cards text,
    winner text,
    player_natural boolean,
    banker_natural boolean,
    player_pair boolean,
    banker_pair boolean,
    why text,
    confirmed_by text,
    dealer text,
    free boolean,
    replaced_by bigint,
    PRIMARY KEY (journal_id, seq)
);
COMMENT ON TABLE archive.result IS 'Every result that a round had: confirmed, amended, taken back.';
COMMENT ON COLUMN archive.result.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.result.seq IS 'The number of the event in its journal.';
COMMENT ON COLUMN archive.result.at IS 'When it happened, by the clock of the table.';
COMMENT ON COLUMN archive.result.site IS 'The site, as in topics.';
COMMENT ON COLUMN archive.result.table_name IS 'The table, as in topics.';
COMMENT ON COLUMN archive.result.shoe IS 'The shoe of this journal, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.result.round IS 'The round of the shoe, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.result.kind IS 'result, amended, or undone for a result that was taken back.';
COMMENT ON COLUMN archive.result.player_total IS 'Points of Player''s hand.';
COMMENT ON COLUMN archive.result.banker_total IS 'Points of Banker''s hand.';
COMMENT ON COLUMN archive.result.player_cards IS 'Player''s cards in the order of the draw, as 9H 4D 2C.';
COMMENT ON COLUMN archive.result.banker_cards IS 'Banker''s cards in the order of the draw, as 9H 4D 2C.';
COMMENT ON COLUMN archive.result.winner IS 'player, banker or tie.';
COMMENT ON COLUMN archive.result.player_natural IS 'Whether Player has 8 or 9 on two cards.';
COMMENT ON COLUMN archive.result.banker_natural IS 'Whether Banker has 8 or 9 on two cards.';
COMMENT ON COLUMN archive.result.player_pair IS 'Whether Player''s first two cards have the same rank.';
COMMENT ON COLUMN archive.result.banker_pair IS 'Whether Banker''s first two cards have the same rank.';
COMMENT ON COLUMN archive.result.why IS 'Why no more cards were dealt, as a code.';
COMMENT ON COLUMN archive.result.confirmed_by IS 'Who or what confirmed the result: the id of a person, or a code.';
COMMENT ON COLUMN archive.result.dealer IS 'The dealer on duty when it was confirmed.';
COMMENT ON COLUMN archive.result.free IS 'Whether it was dealt without wagers.';
COMMENT ON COLUMN archive.result.replaced_by IS 'The event that corrected it or took it back; null while it stands.';

CREATE TABLE archive.settlement (
    journal_id bigint NOT NULL,
    seq bigint NOT NULL,
    at timestamptz NOT NULL,
    site text NOT NULL,
    table_name text NOT NULL,
    shoe bigint NOT NULL,
    round bigint NOT NULL,
    kind text,
    stakes bigint,
    taken bigint,
    winnings bigint,
    commission bigint,
    cut bigint,
    paid bigint,
    returned bigint,
    house_win bigint,
    commission_marked bigint,
    limit_reached boolean,
    difference jsonb,
    replaced_by bigint,
    PRIMARY KEY (journal_id, seq)
);
COMMENT ON TABLE archive.settlement IS 'Every settlement that a round had: what all its wagers came to.';
COMMENT ON COLUMN archive.settlement.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.settlement.seq IS 'The number of the event in its journal.';
COMMENT ON COLUMN archive.settlement.at IS 'When it happened, by the clock of the table.';
COMMENT ON COLUMN archive.settlement.site IS 'The site, as in topics.';
COMMENT ON COLUMN archive.settlement.table_name IS 'The table, as in topics.';
COMMENT ON COLUMN archive.settlement.shoe IS 'The shoe of this journal, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.settlement.round IS 'The round of the shoe, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.settlement.kind IS 'settled, amended, or undone for one that was taken back (all its amounts are 0).';
COMMENT ON COLUMN archive.settlement.stakes IS 'The sum of all stakes, in minor units: the handle.';
COMMENT ON COLUMN archive.settlement.taken IS 'Stakes that lost, in minor units.';
COMMENT ON COLUMN archive.settlement.winnings IS 'By the pay tables, before commission and before the limit of a round, in minor units.';
COMMENT ON COLUMN archive.settlement.commission IS 'Commission on winnings, in minor units, whether it is taken at once or marked.';
COMMENT ON COLUMN archive.settlement.cut IS 'Winnings that the limit of a round does not let the house pay, in minor units.';
COMMENT ON COLUMN archive.settlement.paid IS 'What the dealer pays, stakes not counted, in minor units.';
COMMENT ON COLUMN archive.settlement.returned IS 'Everything that goes back to players, in minor units: stakes that did not lose, and what is paid on them.';
COMMENT ON COLUMN archive.settlement.house_win IS 'stakes less returned, in minor units; below 0 where players won. Commission that is marked and collected later is not in it.';
COMMENT ON COLUMN archive.settlement.commission_marked IS 'The part of commission that is marked to be collected later, in minor units; 0 where it is taken at once.';
COMMENT ON COLUMN archive.settlement.limit_reached IS 'Whether the limit of a round cut winnings.';
COMMENT ON COLUMN archive.settlement.difference IS 'What to pay (above 0) or to collect (below 0) against the one before, by seat, in minor units.';
COMMENT ON COLUMN archive.settlement.replaced_by IS 'The event that corrected it or took it back; null while it stands.';

CREATE TABLE archive.payment (
    journal_id bigint NOT NULL,
    seq bigint NOT NULL,
    line bigint NOT NULL,
    at timestamptz NOT NULL,
    shoe bigint NOT NULL,
    round bigint NOT NULL,
    seat text,
    wager text,
    stake bigint,
    result text,
    pays text,
    winnings bigint,
    commission bigint,
    cut bigint,
    returned bigint,
    paid bigint,
    replaced_by bigint,
    PRIMARY KEY (journal_id, seq, line, at)
) PARTITION BY RANGE (at);
COMMENT ON TABLE archive.payment IS 'What each wager came to in each settlement. One partition for each month (UTC), made when it is needed.';
COMMENT ON COLUMN archive.payment.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.payment.seq IS 'The number of the event in its journal.';
COMMENT ON COLUMN archive.payment.line IS 'Counts the rows of one event, from 1; commission paid back counts from 1001.';
COMMENT ON COLUMN archive.payment.at IS 'When it happened, by the clock of the table.';
COMMENT ON COLUMN archive.payment.shoe IS 'The shoe of this journal, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.payment.round IS 'The round of the shoe, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.payment.seat IS 'The seat.';
COMMENT ON COLUMN archive.payment.wager IS 'The wager, by its id: base.banker.';
COMMENT ON COLUMN archive.payment.stake IS 'What was staked, in minor units.';
COMMENT ON COLUMN archive.payment.result IS 'win, lose or push.';
COMMENT ON COLUMN archive.payment.pays IS 'The price in lowest terms, after commission; only on a win.';
COMMENT ON COLUMN archive.payment.winnings IS 'By the pay tables, before commission and before the limit of a round, in minor units.';
COMMENT ON COLUMN archive.payment.commission IS 'Commission on winnings, in minor units, whether it is taken at once or marked.';
COMMENT ON COLUMN archive.payment.cut IS 'Winnings that the limit of a round does not let the house pay, in minor units.';
COMMENT ON COLUMN archive.payment.returned IS 'Everything that goes back to players, in minor units: stakes that did not lose, and what is paid on them.';
COMMENT ON COLUMN archive.payment.paid IS 'What the dealer pays, stakes not counted, in minor units.';
COMMENT ON COLUMN archive.payment.replaced_by IS 'The event that corrected it or took it back; null while it stands.';

CREATE TABLE archive.wager (
    journal_id bigint NOT NULL,
    seq bigint NOT NULL,
    line bigint NOT NULL,
    at timestamptz NOT NULL,
    shoe bigint NOT NULL,
    round bigint NOT NULL,
    seat text,
    wager text,
    stake bigint,
    how text,
    replaced_by bigint,
    PRIMARY KEY (journal_id, seq, line, at)
) PARTITION BY RANGE (at);
COMMENT ON TABLE archive.wager IS 'The wagers that stood when they were closed, by seat; and those that were put right later, beside what they replace. One partition for each month (UTC), made when it is needed.';
COMMENT ON COLUMN archive.wager.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.wager.seq IS 'The number of the event in its journal.';
COMMENT ON COLUMN archive.wager.line IS 'Counts the rows of one event, from 1; commission paid back counts from 1001.';
COMMENT ON COLUMN archive.wager.at IS 'When it happened, by the clock of the table.';
COMMENT ON COLUMN archive.wager.shoe IS 'The shoe of this journal, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.wager.round IS 'The round of the shoe, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.wager.seat IS 'The seat.';
COMMENT ON COLUMN archive.wager.wager IS 'The wager, by its id: base.banker.';
COMMENT ON COLUMN archive.wager.stake IS 'In minor units.';
COMMENT ON COLUMN archive.wager.how IS 'placed by the seat; carried over from the round that is dealt again; corrected, with the cause; amended.';
COMMENT ON COLUMN archive.wager.replaced_by IS 'The event that corrected it or took it back; null while it stands.';

CREATE TABLE archive.card (
    journal_id bigint NOT NULL,
    seq bigint NOT NULL,
    line bigint NOT NULL,
    at timestamptz NOT NULL,
    shoe bigint NOT NULL,
    round bigint NOT NULL,
    place text,
    number bigint,
    hand text,
    face text,
    why text,
    entered_by text,
    carried boolean,
    fact text,
    player_total bigint,
    banker_total bigint,
    replaced_by bigint,
    PRIMARY KEY (journal_id, seq, line, at)
) PARTITION BY RANGE (at);
COMMENT ON TABLE archive.card IS 'The cards as they came and as they were corrected, one row for each card of each event about it. One partition for each month (UTC), made when it is needed.';
COMMENT ON COLUMN archive.card.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.card.seq IS 'The number of the event in its journal.';
COMMENT ON COLUMN archive.card.line IS 'Counts the rows of one event, from 1; commission paid back counts from 1001.';
COMMENT ON COLUMN archive.card.at IS 'When it happened, by the clock of the table.';
COMMENT ON COLUMN archive.card.shoe IS 'The shoe of this journal, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.card.round IS 'The round of the shoe, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.card.place IS 'hand: in one of the two hands; aside: it left the shoe and lies in no hand; first: the first card of the shoe; burned; discarded from the round; counted with the remainder.';
COMMENT ON COLUMN archive.card.number IS 'Its position in the round, from 1; of burned and counted cards, how many there were.';
COMMENT ON COLUMN archive.card.hand IS 'player or banker; null outside the hands.';
COMMENT ON COLUMN archive.card.face IS 'Rank and suit, as 9H; null while it lies face down or is not known.';
COMMENT ON COLUMN archive.card.why IS 'Why it was drawn (first_card, second_card, player_draws, banker_draws, banker_draws_after_third, not_due), or why it has no place, as a code.';
COMMENT ON COLUMN archive.card.entered_by IS 'The id of the person who entered it; null for a card that the shoe reported.';
COMMENT ON COLUMN archive.card.carried IS 'It is an extra card of the round before: no card left the shoe for it.';
COMMENT ON COLUMN archive.card.fact IS 'The name of the event that the row comes from.';
COMMENT ON COLUMN archive.card.player_total IS 'Points of Player''s hand with it, as far as they were shown.';
COMMENT ON COLUMN archive.card.banker_total IS 'Points of Banker''s hand with it, as far as they were shown.';
COMMENT ON COLUMN archive.card.replaced_by IS 'The event that corrected it or took it back; null while it stands.';

CREATE TABLE archive.alert (
    journal_id bigint NOT NULL,
    seq bigint NOT NULL,
    site text NOT NULL,
    table_name text NOT NULL,
    number bigint,
    shoe bigint,
    round bigint,
    raised_at timestamptz,
    kind text,
    severity text,
    detail_code text,
    detail jsonb,
    cleared_by text,
    ended_at timestamptz,
    ended_seq bigint,
    ended_how text,
    ended_by text,
    PRIMARY KEY (journal_id, seq)
);
COMMENT ON TABLE archive.alert IS 'The alerts, from their beginning to their end.';
COMMENT ON COLUMN archive.alert.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.alert.seq IS 'The event that raised it; of one that an earlier journal raised, the event that ended it.';
COMMENT ON COLUMN archive.alert.site IS 'The site, as in topics.';
COMMENT ON COLUMN archive.alert.table_name IS 'The table, as in topics.';
COMMENT ON COLUMN archive.alert.number IS 'Its number in the journal, as the console shows it.';
COMMENT ON COLUMN archive.alert.shoe IS 'The shoe of this journal, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.alert.round IS 'The round of the shoe, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.alert.raised_at IS 'When it was raised; null where an earlier journal raised it.';
COMMENT ON COLUMN archive.alert.kind IS 'What went wrong: misread.';
COMMENT ON COLUMN archive.alert.severity IS 'stops the round, or warns.';
COMMENT ON COLUMN archive.alert.detail_code IS 'What exactly is wrong, as a code.';
COMMENT ON COLUMN archive.alert.detail IS 'The same with its values.';
COMMENT ON COLUMN archive.alert.cleared_by IS 'Who may end it.';
COMMENT ON COLUMN archive.alert.ended_at IS 'When it ended; null while it stands.';
COMMENT ON COLUMN archive.alert.ended_seq IS 'The event that ended it.';
COMMENT ON COLUMN archive.alert.ended_how IS 'Why it ended, as a code.';
COMMENT ON COLUMN archive.alert.ended_by IS 'The person who ended it.';

CREATE TABLE archive.act (
    journal_id bigint NOT NULL,
    seq bigint NOT NULL,
    at timestamptz NOT NULL,
    site text NOT NULL,
    table_name text NOT NULL,
    shoe bigint NOT NULL,
    round bigint NOT NULL,
    act text,
    person text NOT NULL,
    role text,
    reason text,
    approved_by text,
    terminal text,
    of_shoe bigint,
    of_round bigint,
    details jsonb,
    PRIMARY KEY (journal_id, seq)
);
COMMENT ON TABLE archive.act IS 'Everything that people did.';
COMMENT ON COLUMN archive.act.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.act.seq IS 'The number of the event in its journal.';
COMMENT ON COLUMN archive.act.at IS 'When it happened, by the clock of the table.';
COMMENT ON COLUMN archive.act.site IS 'The site, as in topics.';
COMMENT ON COLUMN archive.act.table_name IS 'The table, as in topics.';
COMMENT ON COLUMN archive.act.shoe IS 'The shoe of this journal, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.act.round IS 'The round of the shoe, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.act.act IS 'The act: void_round.';
COMMENT ON COLUMN archive.act.person IS 'Who did it, by the id in the file of the table; the role where no person was named. Of an act of two people, the first.';
COMMENT ON COLUMN archive.act.role IS 'dealer or supervisor.';
COMMENT ON COLUMN archive.act.reason IS 'What the person gave as the reason; may be empty.';
COMMENT ON COLUMN archive.act.approved_by IS 'The second supervisor, where the act takes two.';
COMMENT ON COLUMN archive.act.terminal IS 'The user of the broker who sent the request; empty where none is known.';
COMMENT ON COLUMN archive.act.of_shoe IS 'The shoe of the round that it is about.';
COMMENT ON COLUMN archive.act.of_round IS 'The round that it is about; 0 where none had begun.';
COMMENT ON COLUMN archive.act.details IS 'The act with its values.';

CREATE TABLE archive.person (
    journal_id bigint NOT NULL,
    person text NOT NULL,
    site text NOT NULL,
    table_name text NOT NULL,
    first_at timestamptz,
    last_at timestamptz,
    acts_as_dealer bigint NOT NULL DEFAULT 0,
    acts_as_supervisor bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (journal_id, person)
);
COMMENT ON TABLE archive.person IS 'The people of each table, as far as they acted or were on duty.';
COMMENT ON COLUMN archive.person.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.person.person IS 'The id of the person.';
COMMENT ON COLUMN archive.person.site IS 'The site, as in topics.';
COMMENT ON COLUMN archive.person.table_name IS 'The table, as in topics.';
COMMENT ON COLUMN archive.person.first_at IS 'The time of the first event with this person.';
COMMENT ON COLUMN archive.person.last_at IS 'The time of the last event with this person.';
COMMENT ON COLUMN archive.person.acts_as_dealer IS 'How many acts as a dealer.';
COMMENT ON COLUMN archive.person.acts_as_supervisor IS 'How many acts as a supervisor, those approved included.';

CREATE TABLE archive.duty (
    journal_id bigint NOT NULL,
    seq bigint NOT NULL,
    at timestamptz NOT NULL,
    site text NOT NULL,
    table_name text NOT NULL,
    shoe bigint NOT NULL,
    round bigint NOT NULL,
    dealer text,
    before text,
    PRIMARY KEY (journal_id, seq)
);
COMMENT ON TABLE archive.duty IS 'Each change of the dealer on duty.';
COMMENT ON COLUMN archive.duty.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.duty.seq IS 'The number of the event in its journal.';
COMMENT ON COLUMN archive.duty.at IS 'When it happened, by the clock of the table.';
COMMENT ON COLUMN archive.duty.site IS 'The site, as in topics.';
COMMENT ON COLUMN archive.duty.table_name IS 'The table, as in topics.';
COMMENT ON COLUMN archive.duty.shoe IS 'The shoe of this journal, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.duty.round IS 'The round of the shoe, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.duty.dealer IS 'The dealer on duty from now on; null if none is.';
COMMENT ON COLUMN archive.duty.before IS 'The dealer whose duty ended with it; null if none was on duty.';

CREATE TABLE archive.dispute (
    journal_id bigint NOT NULL,
    dispute bigint NOT NULL,
    site text NOT NULL,
    table_name text NOT NULL,
    shoe bigint NOT NULL,
    round bigint NOT NULL,
    seat text,
    disputed text,
    opened_at timestamptz,
    opened_by text,
    closed_at timestamptz,
    closed_seq bigint,
    decision text,
    PRIMARY KEY (journal_id, dispute)
);
COMMENT ON TABLE archive.dispute IS 'The rounds that players dispute.';
COMMENT ON COLUMN archive.dispute.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.dispute.dispute IS 'Its number in the journal.';
COMMENT ON COLUMN archive.dispute.site IS 'The site, as in topics.';
COMMENT ON COLUMN archive.dispute.table_name IS 'The table, as in topics.';
COMMENT ON COLUMN archive.dispute.shoe IS 'The shoe of the disputed round.';
COMMENT ON COLUMN archive.dispute.round IS 'The disputed round; 0 where none had begun.';
COMMENT ON COLUMN archive.dispute.seat IS 'The seat whose player disputes it; null where it is none, or more than one.';
COMMENT ON COLUMN archive.dispute.disputed IS 'What is disputed, as the supervisor wrote it.';
COMMENT ON COLUMN archive.dispute.opened_at IS 'When it was opened.';
COMMENT ON COLUMN archive.dispute.opened_by IS 'The supervisor who opened it.';
COMMENT ON COLUMN archive.dispute.closed_at IS 'When it was decided; null while it is open.';
COMMENT ON COLUMN archive.dispute.closed_seq IS 'The event that closed it.';
COMMENT ON COLUMN archive.dispute.decision IS 'How it was decided, as the supervisor wrote it.';

CREATE TABLE archive.note (
    journal_id bigint NOT NULL,
    seq bigint NOT NULL,
    at timestamptz NOT NULL,
    site text NOT NULL,
    table_name text NOT NULL,
    shoe bigint NOT NULL,
    round bigint NOT NULL,
    of_shoe bigint,
    of_round bigint,
    note text,
    PRIMARY KEY (journal_id, seq)
);
COMMENT ON TABLE archive.note IS 'Notes on rounds.';
COMMENT ON COLUMN archive.note.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.note.seq IS 'The number of the event in its journal.';
COMMENT ON COLUMN archive.note.at IS 'When it happened, by the clock of the table.';
COMMENT ON COLUMN archive.note.site IS 'The site, as in topics.';
COMMENT ON COLUMN archive.note.table_name IS 'The table, as in topics.';
COMMENT ON COLUMN archive.note.shoe IS 'The shoe of this journal, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.note.round IS 'The round of the shoe, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.note.of_shoe IS 'The shoe of the round that it is about.';
COMMENT ON COLUMN archive.note.of_round IS 'The round that it is about; 0 where none had begun.';
COMMENT ON COLUMN archive.note.note IS 'The note.';

CREATE TABLE archive.adjustment (
    journal_id bigint NOT NULL,
    seq bigint NOT NULL,
    at timestamptz NOT NULL,
    site text NOT NULL,
    table_name text NOT NULL,
    shoe bigint NOT NULL,
    round bigint NOT NULL,
    of_shoe bigint,
    of_round bigint,
    seat text,
    amount bigint,
    PRIMARY KEY (journal_id, seq)
);
COMMENT ON TABLE archive.adjustment IS 'Payments put right by hand, beside the settlement.';
COMMENT ON COLUMN archive.adjustment.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.adjustment.seq IS 'The number of the event in its journal.';
COMMENT ON COLUMN archive.adjustment.at IS 'When it happened, by the clock of the table.';
COMMENT ON COLUMN archive.adjustment.site IS 'The site, as in topics.';
COMMENT ON COLUMN archive.adjustment.table_name IS 'The table, as in topics.';
COMMENT ON COLUMN archive.adjustment.shoe IS 'The shoe of this journal, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.adjustment.round IS 'The round of the shoe, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.adjustment.of_shoe IS 'The shoe of the round that it is about.';
COMMENT ON COLUMN archive.adjustment.of_round IS 'The round that it is about; 0 where none had begun.';
COMMENT ON COLUMN archive.adjustment.seat IS 'The seat.';
COMMENT ON COLUMN archive.adjustment.amount IS 'In minor units: above 0 it was paid to the seat, below 0 it was collected from it.';

CREATE TABLE archive.commission (
    journal_id bigint NOT NULL,
    seq bigint NOT NULL,
    line bigint NOT NULL,
    at timestamptz NOT NULL,
    site text NOT NULL,
    table_name text NOT NULL,
    shoe bigint NOT NULL,
    round bigint,
    seat text,
    kind text,
    amount bigint,
    since_shoe bigint,
    replaced_by bigint,
    PRIMARY KEY (journal_id, seq, line)
);
COMMENT ON TABLE archive.commission IS 'Commission that was marked, collected, waived or paid back. What is due of a seat is marked and not replaced, plus paid back, less collected and waived.';
COMMENT ON COLUMN archive.commission.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.commission.seq IS 'The number of the event in its journal.';
COMMENT ON COLUMN archive.commission.line IS 'Counts the rows of one event, from 1; commission paid back counts from 1001.';
COMMENT ON COLUMN archive.commission.at IS 'When it happened, by the clock of the table.';
COMMENT ON COLUMN archive.commission.site IS 'The site, as in topics.';
COMMENT ON COLUMN archive.commission.table_name IS 'The table, as in topics.';
COMMENT ON COLUMN archive.commission.shoe IS 'The shoe in which it was marked; of several, the last.';
COMMENT ON COLUMN archive.commission.round IS 'The round in which it was marked, or of which it is paid back; null where it was collected or waived.';
COMMENT ON COLUMN archive.commission.seat IS 'The seat.';
COMMENT ON COLUMN archive.commission.kind IS 'marked, collected, waived or paid_back.';
COMMENT ON COLUMN archive.commission.amount IS 'In minor units.';
COMMENT ON COLUMN archive.commission.since_shoe IS 'Where what a seat owed of several shoes was added up, the first of them.';
COMMENT ON COLUMN archive.commission.replaced_by IS 'The event that corrected it or took it back; null while it stands.';

CREATE TABLE archive.proposal (
    journal_id bigint NOT NULL,
    proposal bigint NOT NULL,
    site text NOT NULL,
    table_name text NOT NULL,
    seq bigint,
    at timestamptz,
    shoe bigint,
    round bigint,
    act text,
    person text,
    reason text,
    details jsonb,
    state text,
    ended_at timestamptz,
    ended_why text,
    approved_by text,
    PRIMARY KEY (journal_id, proposal)
);
COMMENT ON TABLE archive.proposal IS 'Acts that take two people, as they were proposed.';
COMMENT ON COLUMN archive.proposal.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.proposal.proposal IS 'Its number in the journal.';
COMMENT ON COLUMN archive.proposal.site IS 'The site, as in topics.';
COMMENT ON COLUMN archive.proposal.table_name IS 'The table, as in topics.';
COMMENT ON COLUMN archive.proposal.seq IS 'The event that proposed it.';
COMMENT ON COLUMN archive.proposal.at IS 'When it was proposed.';
COMMENT ON COLUMN archive.proposal.shoe IS 'The shoe of this journal, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.proposal.round IS 'The round of the shoe, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.proposal.act IS 'The act: void_round.';
COMMENT ON COLUMN archive.proposal.person IS 'The supervisor who proposed it.';
COMMENT ON COLUMN archive.proposal.reason IS 'What the person gave as the reason; may be empty.';
COMMENT ON COLUMN archive.proposal.details IS 'The act with its values.';
COMMENT ON COLUMN archive.proposal.state IS 'open, approved, or ended without having been approved.';
COMMENT ON COLUMN archive.proposal.ended_at IS 'When it was approved, or ended.';
COMMENT ON COLUMN archive.proposal.ended_why IS 'Why it ended without having been approved, as a code.';
COMMENT ON COLUMN archive.proposal.approved_by IS 'The second supervisor.';

CREATE TABLE archive.wrong_pin (
    journal_id bigint NOT NULL,
    seq bigint NOT NULL,
    at timestamptz NOT NULL,
    site text NOT NULL,
    table_name text NOT NULL,
    shoe bigint NOT NULL,
    round bigint NOT NULL,
    person text NOT NULL,
    failures bigint,
    locked_out boolean,
    terminal text,
    PRIMARY KEY (journal_id, seq)
);
COMMENT ON TABLE archive.wrong_pin IS 'Wrong PINs.';
COMMENT ON COLUMN archive.wrong_pin.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.wrong_pin.seq IS 'The number of the event in its journal.';
COMMENT ON COLUMN archive.wrong_pin.at IS 'When it happened, by the clock of the table.';
COMMENT ON COLUMN archive.wrong_pin.site IS 'The site, as in topics.';
COMMENT ON COLUMN archive.wrong_pin.table_name IS 'The table, as in topics.';
COMMENT ON COLUMN archive.wrong_pin.shoe IS 'The shoe of this journal, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.wrong_pin.round IS 'The round of the shoe, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.wrong_pin.person IS 'Whose PIN was asked for; unknown-… where no person has the id that was given.';
COMMENT ON COLUMN archive.wrong_pin.failures IS 'Wrong PINs in a row for this person at this terminal.';
COMMENT ON COLUMN archive.wrong_pin.locked_out IS 'Whether the person was locked out at this terminal with it.';
COMMENT ON COLUMN archive.wrong_pin.terminal IS 'The user of the broker who sent the request; empty where none is known.';

CREATE TABLE archive.link (
    journal_id bigint NOT NULL,
    seq bigint NOT NULL,
    at timestamptz NOT NULL,
    site text NOT NULL,
    table_name text NOT NULL,
    shoe bigint NOT NULL,
    round bigint NOT NULL,
    what text,
    reader text,
    authenticated boolean,
    keeps_events boolean,
    wire text,
    port text,
    cause text,
    PRIMARY KEY (journal_id, seq)
);
COMMENT ON TABLE archive.link IS 'What became of the connection to the shoe, which shoe it was, and whether the table was dealt by hand.';
COMMENT ON COLUMN archive.link.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.link.seq IS 'The number of the event in its journal.';
COMMENT ON COLUMN archive.link.at IS 'When it happened, by the clock of the table.';
COMMENT ON COLUMN archive.link.site IS 'The site, as in topics.';
COMMENT ON COLUMN archive.link.table_name IS 'The table, as in topics.';
COMMENT ON COLUMN archive.link.shoe IS 'The shoe of this journal, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.link.round IS 'The round of the shoe, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.link.what IS 'connected, lost, exchanged, hand_entry_begun or hand_entry_ended.';
COMMENT ON COLUMN archive.link.reader IS 'Model and serial number of the shoe, where it reports them.';
COMMENT ON COLUMN archive.link.authenticated IS 'Whether the shoe has proven itself with its key.';
COMMENT ON COLUMN archive.link.keeps_events IS 'Whether the shoe sends again what was not stored.';
COMMENT ON COLUMN archive.link.wire IS 'The wire of the shoe that took its place.';
COMMENT ON COLUMN archive.link.port IS 'The port of the shoe that took its place.';
COMMENT ON COLUMN archive.link.cause IS 'Why the connection is gone, as a code.';

CREATE TABLE archive.not_derived (
    journal_id bigint NOT NULL,
    seq bigint NOT NULL,
    at timestamptz NOT NULL,
    site text NOT NULL,
    table_name text NOT NULL,
    shoe bigint NOT NULL,
    round bigint NOT NULL,
    fact text,
    why text,
    PRIMARY KEY (journal_id, seq)
);
COMMENT ON TABLE archive.not_derived IS 'Events that this version could not read, as with a code of a later one. After an upgrade, rebuild the tables.';
COMMENT ON COLUMN archive.not_derived.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.not_derived.seq IS 'The number of the event in its journal.';
COMMENT ON COLUMN archive.not_derived.at IS 'When it happened, by the clock of the table.';
COMMENT ON COLUMN archive.not_derived.site IS 'The site, as in topics.';
COMMENT ON COLUMN archive.not_derived.table_name IS 'The table, as in topics.';
COMMENT ON COLUMN archive.not_derived.shoe IS 'The shoe of this journal, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.not_derived.round IS 'The round of the shoe, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.not_derived.fact IS 'The name of the event that the row comes from.';
COMMENT ON COLUMN archive.not_derived.why IS 'What was wrong with it.';

CREATE INDEX ON archive.shoe (site, table_name, opened_at);
CREATE INDEX ON archive.round (site, table_name, began_at);
CREATE INDEX ON archive.round (began_at);
CREATE INDEX ON archive.round (dealer, began_at);
CREATE INDEX ON archive.round (stakes);
CREATE INDEX ON archive.round (house_win);
CREATE INDEX ON archive.result (journal_id, shoe, round);
CREATE INDEX ON archive.settlement (journal_id, shoe, round);
CREATE INDEX ON archive.settlement (at);
CREATE INDEX ON archive.payment (journal_id, shoe, round);
CREATE INDEX ON archive.payment (wager, at);
CREATE INDEX ON archive.wager (journal_id, shoe, round);
CREATE INDEX ON archive.card (journal_id, shoe, round);
CREATE INDEX ON archive.alert (kind, raised_at);
CREATE INDEX ON archive.alert (site, table_name, raised_at);
CREATE INDEX ON archive.alert (journal_id, shoe, round);
CREATE INDEX ON archive.act (act, at);
CREATE INDEX ON archive.act (person, at);
CREATE INDEX ON archive.act (site, table_name, at);
CREATE INDEX ON archive.act (journal_id, of_shoe, of_round);
CREATE INDEX ON archive.commission (journal_id, shoe, round);
CREATE INDEX ON archive.proposal (journal_id, act) WHERE state = 'open';

CREATE FUNCTION archive.make_derived_months(firsts timestamptz[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    parent text;
    first timestamptz;
    next timestamptz;
    part text;
BEGIN
    FOREACH first IN ARRAY firsts LOOP
        FOREACH parent IN ARRAY ARRAY['payment', 'wager', 'card'] LOOP
            part := parent || to_char(first AT TIME ZONE 'UTC', '_YYYY_MM');
            IF to_regclass('archive.' || part) IS NULL THEN
                next := (first AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC';
                -- Made beside the others and then attached, which holds up nobody who reads.
                EXECUTE format('CREATE TABLE archive.%I (LIKE archive.%I INCLUDING ALL)', part, parent);
                EXECUTE format(
                    'COMMENT ON TABLE archive.%I IS %L', part,
                    format('A month of archive.%s, from %s (UTC).', parent, to_char(first AT TIME ZONE 'UTC', 'YYYY-MM'))
                );
                EXECUTE format(
                    'ALTER TABLE archive.%I ATTACH PARTITION archive.%I FOR VALUES FROM (%L) TO (%L)',
                    parent, part, first, next
                );
            END IF;
        END LOOP;
    END LOOP;
END
$$;
COMMENT ON FUNCTION archive.make_derived_months(timestamptz[]) IS 'Makes the partitions of these months, where they are not there: of payment, wager and card.';

CREATE FUNCTION archive.reader_at(of_journal bigint, of_seq bigint) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT reader FROM archive.link
    WHERE journal_id = of_journal AND seq <= of_seq AND what = 'connected' ORDER BY seq DESC LIMIT 1
$$;
COMMENT ON FUNCTION archive.reader_at(bigint, bigint) IS 'Model and serial number of the shoe that was connected last before an event; null where its journal does not know.';

CREATE VIEW archive.round_now AS
    SELECT round.*, settlement.limit_reached, settlement.difference,
           CASE WHEN round.stakes > 0 THEN round.house_win::numeric / round.stakes END AS hold
    FROM archive.round LEFT JOIN archive.settlement
        ON settlement.journal_id = round.journal_id AND settlement.seq = round.settlement_seq
    WHERE round.state IN ('settled', 'amended');
COMMENT ON VIEW archive.round_now IS 'The rounds that have a result which stands, with their settlement; hold is house_win by stakes.';
COMMENT ON COLUMN archive.round_now.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.round_now.shoe IS 'The shoe of this journal, counted from 1.';
COMMENT ON COLUMN archive.round_now.round IS 'The round of the shoe, counted from 1.';
COMMENT ON COLUMN archive.round_now.site IS 'The site, as in topics.';
COMMENT ON COLUMN archive.round_now.table_name IS 'The table, as in topics.';
COMMENT ON COLUMN archive.round_now.state IS 'open: wagers may be placed; closed: it is dealt; settled; amended: settled again later; undone: its result was taken back; voided; not_dealt: the shoe ended before it was. Null where only what came around it is known.';
COMMENT ON COLUMN archive.round_now.began_at IS 'When its wagers were opened.';
COMMENT ON COLUMN archive.round_now.closed_at IS 'When its wagers were closed, the last time.';
COMMENT ON COLUMN archive.round_now.closed_seq IS 'The event that closed its wagers.';
COMMENT ON COLUMN archive.round_now.closed_by IS 'Who or what closed them: the id of a person, or a code.';
COMMENT ON COLUMN archive.round_now.ended_at IS 'When its result was confirmed, or it was voided.';
COMMENT ON COLUMN archive.round_now.first_at IS 'The time of its first event.';
COMMENT ON COLUMN archive.round_now.last_at IS 'The time of its last event; an amendment may come days later.';
COMMENT ON COLUMN archive.round_now.dealer IS 'The dealer on duty when its wagers were closed; null if none was.';
COMMENT ON COLUMN archive.round_now.free IS 'Whether it was dealt without wagers; null while that is not known.';
COMMENT ON COLUMN archive.round_now.player_total IS 'Points of Player''s hand.';
COMMENT ON COLUMN archive.round_now.banker_total IS 'Points of Banker''s hand.';
COMMENT ON COLUMN archive.round_now.player_cards IS 'Player''s cards in the order of the draw, as 9H 4D 2C.';
COMMENT ON COLUMN archive.round_now.banker_cards IS 'Banker''s cards in the order of the draw, as 9H 4D 2C.';
COMMENT ON COLUMN archive.round_now.winner IS 'player, banker or tie.';
COMMENT ON COLUMN archive.round_now.player_natural IS 'Whether Player has 8 or 9 on two cards.';
COMMENT ON COLUMN archive.round_now.banker_natural IS 'Whether Banker has 8 or 9 on two cards.';
COMMENT ON COLUMN archive.round_now.player_pair IS 'Whether Player''s first two cards have the same rank.';
COMMENT ON COLUMN archive.round_now.banker_pair IS 'Whether Banker''s first two cards have the same rank.';
COMMENT ON COLUMN archive.round_now.why IS 'Why no more cards were dealt, as a code.';
COMMENT ON COLUMN archive.round_now.confirmed_by IS 'Who or what confirmed the result: the id of a person, or a code.';
COMMENT ON COLUMN archive.round_now.result_seq IS 'The event with the result that stands.';
COMMENT ON COLUMN archive.round_now.settlement_seq IS 'The event with the settlement that stands; null where it had no wagers.';
COMMENT ON COLUMN archive.round_now.stakes IS 'The sum of all stakes, in minor units: the handle. 0 where it was voided; null before its wagers were closed.';
COMMENT ON COLUMN archive.round_now.taken IS 'Stakes that lost, in minor units.';
COMMENT ON COLUMN archive.round_now.winnings IS 'By the pay tables, before commission and before the limit of a round, in minor units.';
COMMENT ON COLUMN archive.round_now.commission IS 'Commission on winnings, in minor units, whether it is taken at once or marked.';
COMMENT ON COLUMN archive.round_now.cut IS 'Winnings that the limit of a round does not let the house pay, in minor units.';
COMMENT ON COLUMN archive.round_now.paid IS 'What the dealer pays, stakes not counted, in minor units.';
COMMENT ON COLUMN archive.round_now.returned IS 'Everything that goes back to players, in minor units: stakes that did not lose, and what is paid on them.';
COMMENT ON COLUMN archive.round_now.house_win IS 'stakes less returned, in minor units; below 0 where players won. Commission that is marked and collected later is not in it.';
COMMENT ON COLUMN archive.round_now.commission_marked IS 'The part of commission that is marked to be collected later, in minor units; 0 where it is taken at once.';
COMMENT ON COLUMN archive.round_now.void_reason IS 'Why it was voided.';
COMMENT ON COLUMN archive.round_now.corrections IS 'Corrected, assigned and discarded cards, corrected wagers, amendments and results taken back.';
COMMENT ON COLUMN archive.round_now.alerts IS 'Alerts that were raised in it.';
COMMENT ON COLUMN archive.round_now.replays IS 'How often its cards were voided and it was dealt again.';
COMMENT ON COLUMN archive.round_now.extra_burned IS 'Extra cards of it that were burned.';
COMMENT ON COLUMN archive.round_now.game IS 'The base game, by its id in the catalogue.';
COMMENT ON COLUMN archive.round_now.currency IS 'The currency as displays write it; may be empty. Amounts of different currencies are never added.';
COMMENT ON COLUMN archive.round_now.decimals IS 'How many digits of an amount stand behind the decimal point: with 2, 1050 is 10.50.';
COMMENT ON COLUMN archive.round_now.limit_reached IS 'Whether the limit of a round cut winnings.';
COMMENT ON COLUMN archive.round_now.difference IS 'What to pay (above 0) or to collect (below 0) against the settlement before, by seat, in minor units.';
COMMENT ON COLUMN archive.round_now.hold IS 'house_win by stakes; null where nothing was staked.';

CREATE VIEW archive.payment_now AS
    SELECT payment.*, round.site, round.table_name, round.dealer, round.game, round.currency, round.decimals,
           round.began_at
    FROM archive.payment JOIN archive.round USING (journal_id, shoe, round)
    WHERE payment.replaced_by IS NULL;
COMMENT ON VIEW archive.payment_now IS 'What every wager came to in the settlements that stand, with its round.';
COMMENT ON COLUMN archive.payment_now.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.payment_now.seq IS 'The number of the event in its journal.';
COMMENT ON COLUMN archive.payment_now.line IS 'Counts the rows of one event, from 1; commission paid back counts from 1001.';
COMMENT ON COLUMN archive.payment_now.at IS 'When it happened, by the clock of the table.';
COMMENT ON COLUMN archive.payment_now.shoe IS 'The shoe of this journal, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.payment_now.round IS 'The round of the shoe, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.payment_now.seat IS 'The seat.';
COMMENT ON COLUMN archive.payment_now.wager IS 'The wager, by its id: base.banker.';
COMMENT ON COLUMN archive.payment_now.stake IS 'What was staked, in minor units.';
COMMENT ON COLUMN archive.payment_now.result IS 'win, lose or push.';
COMMENT ON COLUMN archive.payment_now.pays IS 'The price in lowest terms, after commission; only on a win.';
COMMENT ON COLUMN archive.payment_now.winnings IS 'By the pay tables, before commission and before the limit of a round, in minor units.';
COMMENT ON COLUMN archive.payment_now.commission IS 'Commission on winnings, in minor units, whether it is taken at once or marked.';
COMMENT ON COLUMN archive.payment_now.cut IS 'Winnings that the limit of a round does not let the house pay, in minor units.';
COMMENT ON COLUMN archive.payment_now.returned IS 'Everything that goes back to players, in minor units: stakes that did not lose, and what is paid on them.';
COMMENT ON COLUMN archive.payment_now.paid IS 'What the dealer pays, stakes not counted, in minor units.';
COMMENT ON COLUMN archive.payment_now.replaced_by IS 'The event that corrected it or took it back; null while it stands.';
COMMENT ON COLUMN archive.payment_now.site IS 'The site, as in topics.';
COMMENT ON COLUMN archive.payment_now.table_name IS 'The table, as in topics.';
COMMENT ON COLUMN archive.payment_now.dealer IS 'The dealer on duty when the round was closed; null if none was.';
COMMENT ON COLUMN archive.payment_now.game IS 'The base game, by its id in the catalogue.';
COMMENT ON COLUMN archive.payment_now.currency IS 'The currency as displays write it; may be empty. Amounts of different currencies are never added.';
COMMENT ON COLUMN archive.payment_now.decimals IS 'How many digits of an amount stand behind the decimal point: with 2, 1050 is 10.50.';
COMMENT ON COLUMN archive.payment_now.began_at IS 'When the wagers of the round were opened.';

CREATE VIEW archive.wager_at_close AS
    SELECT wager.*, round.site, round.table_name, round.closed_at, round.currency, round.decimals
    FROM archive.wager JOIN archive.round USING (journal_id, shoe, round)
    WHERE wager.seq < round.closed_seq AND (wager.replaced_by IS NULL OR wager.replaced_by > round.closed_seq);
COMMENT ON VIEW archive.wager_at_close IS 'The wagers that stood when they were closed, the last time where a round is dealt again; also those that were put right later.';
COMMENT ON COLUMN archive.wager_at_close.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.wager_at_close.seq IS 'The number of the event in its journal.';
COMMENT ON COLUMN archive.wager_at_close.line IS 'Counts the rows of one event, from 1; commission paid back counts from 1001.';
COMMENT ON COLUMN archive.wager_at_close.at IS 'When it happened, by the clock of the table.';
COMMENT ON COLUMN archive.wager_at_close.shoe IS 'The shoe of this journal, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.wager_at_close.round IS 'The round of the shoe, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.wager_at_close.seat IS 'The seat.';
COMMENT ON COLUMN archive.wager_at_close.wager IS 'The wager, by its id: base.banker.';
COMMENT ON COLUMN archive.wager_at_close.stake IS 'In minor units.';
COMMENT ON COLUMN archive.wager_at_close.how IS 'placed by the seat; carried over from the round that is dealt again; corrected, with the cause; amended.';
COMMENT ON COLUMN archive.wager_at_close.replaced_by IS 'The event that corrected it or took it back; null while it stands.';
COMMENT ON COLUMN archive.wager_at_close.site IS 'The site, as in topics.';
COMMENT ON COLUMN archive.wager_at_close.table_name IS 'The table, as in topics.';
COMMENT ON COLUMN archive.wager_at_close.closed_at IS 'When the wagers of the round were closed.';
COMMENT ON COLUMN archive.wager_at_close.currency IS 'The currency as displays write it; may be empty. Amounts of different currencies are never added.';
COMMENT ON COLUMN archive.wager_at_close.decimals IS 'How many digits of an amount stand behind the decimal point: with 2, 1050 is 10.50.';

CREATE VIEW archive.card_now AS
    SELECT * FROM archive.card WHERE place = 'hand' AND replaced_by IS NULL;
COMMENT ON VIEW archive.card_now IS 'The cards of the hands, as they lie in the end.';
COMMENT ON COLUMN archive.card_now.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.card_now.seq IS 'The number of the event in its journal.';
COMMENT ON COLUMN archive.card_now.line IS 'Counts the rows of one event, from 1; commission paid back counts from 1001.';
COMMENT ON COLUMN archive.card_now.at IS 'When it happened, by the clock of the table.';
COMMENT ON COLUMN archive.card_now.shoe IS 'The shoe of this journal, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.card_now.round IS 'The round of the shoe, counted from 1; 0 before the first.';
COMMENT ON COLUMN archive.card_now.place IS 'hand: in one of the two hands; aside: it left the shoe and lies in no hand; first: the first card of the shoe; burned; discarded from the round; counted with the remainder.';
COMMENT ON COLUMN archive.card_now.number IS 'Its position in the round, from 1; of burned and counted cards, how many there were.';
COMMENT ON COLUMN archive.card_now.hand IS 'player or banker; null outside the hands.';
COMMENT ON COLUMN archive.card_now.face IS 'Rank and suit, as 9H; null while it lies face down or is not known.';
COMMENT ON COLUMN archive.card_now.why IS 'Why it was drawn (first_card, second_card, player_draws, banker_draws, banker_draws_after_third, not_due), or why it has no place, as a code.';
COMMENT ON COLUMN archive.card_now.entered_by IS 'The id of the person who entered it; null for a card that the shoe reported.';
COMMENT ON COLUMN archive.card_now.carried IS 'It is an extra card of the round before: no card left the shoe for it.';
COMMENT ON COLUMN archive.card_now.fact IS 'The name of the event that the row comes from.';
COMMENT ON COLUMN archive.card_now.player_total IS 'Points of Player''s hand with it, as far as they were shown.';
COMMENT ON COLUMN archive.card_now.banker_total IS 'Points of Banker''s hand with it, as far as they were shown.';
COMMENT ON COLUMN archive.card_now.replaced_by IS 'The event that corrected it or took it back; null while it stands.';

CREATE VIEW archive.duty_span AS
    SELECT journal_id, site, table_name, dealer, at AS began_at,
           lead(at) OVER (PARTITION BY journal_id ORDER BY seq) AS ended_at
    FROM archive.duty;
COMMENT ON VIEW archive.duty_span IS 'From when to when which dealer was on duty; null where none was, or where the duty lasts.';
COMMENT ON COLUMN archive.duty_span.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.duty_span.site IS 'The site, as in topics.';
COMMENT ON COLUMN archive.duty_span.table_name IS 'The table, as in topics.';
COMMENT ON COLUMN archive.duty_span.dealer IS 'The dealer on duty; null where none was.';
COMMENT ON COLUMN archive.duty_span.began_at IS 'When the duty began.';
COMMENT ON COLUMN archive.duty_span.ended_at IS 'When it ended; null while it lasts.';

CREATE VIEW archive.commission_now AS
    SELECT commission.journal_id, commission.site, commission.table_name, commission.seat, shoe.currency,
           sum(amount) FILTER (WHERE kind = 'marked' AND replaced_by IS NULL) AS marked,
           sum(amount) FILTER (WHERE kind = 'collected') AS collected,
           sum(amount) FILTER (WHERE kind = 'waived') AS waived,
           sum(amount) FILTER (WHERE kind = 'paid_back') AS paid_back,
           sum(CASE WHEN kind IN ('collected', 'waived') THEN -amount ELSE amount END)
               FILTER (WHERE replaced_by IS NULL) AS due
    FROM archive.commission LEFT JOIN archive.shoe USING (journal_id, shoe)
    GROUP BY commission.journal_id, commission.site, commission.table_name, commission.seat, shoe.currency;
COMMENT ON VIEW archive.commission_now IS 'Commission by journal, seat and currency: marked, collected, waived, paid back, and what is due of it.';
COMMENT ON COLUMN archive.commission_now.journal_id IS 'The journal, as in archive.journal.';
COMMENT ON COLUMN archive.commission_now.site IS 'The site, as in topics.';
COMMENT ON COLUMN archive.commission_now.table_name IS 'The table, as in topics.';
COMMENT ON COLUMN archive.commission_now.seat IS 'The seat.';
COMMENT ON COLUMN archive.commission_now.currency IS 'The currency as displays write it; may be empty. Amounts of different currencies are never added.';
COMMENT ON COLUMN archive.commission_now.marked IS 'Commission marked and not taken back, in minor units.';
COMMENT ON COLUMN archive.commission_now.collected IS 'Commission collected, in minor units.';
COMMENT ON COLUMN archive.commission_now.waived IS 'Commission waived, in minor units.';
COMMENT ON COLUMN archive.commission_now.paid_back IS 'Commission paid back after it was collected, in minor units.';
COMMENT ON COLUMN archive.commission_now.due IS 'What is still owed, in minor units.';
