"""Clauses that bind a shoe and cannot be tried from outside it, each with its reason."""

UNTRIABLE: dict[str, str] = {
    "2.6": "it takes a card whose id breaks 2.5; with such a card, see that it is reported without",
    "3.7": "whether a shoe has a random source cannot be seen; compare with `without_random_source` in vectors.json",
    "4.10": "it takes a shoe that was given a key of zeros; it must refuse to start with one",
    "6.6": "it takes memory that has lost an event",
    "7.2": "only the person who did it knows in which order things happened; compare with the events of a whole round",
    "7.4": "the cards on the table are not seen from here; compare with the events of a whole round",
    "7.6": "the cards on the table are not seen from here; compare with the events of a new shoe",
    "7.7": "the cards on the table are not seen from here; compare with the results of some rounds",
    "7.8": "it takes a cut card; draw up to it, and see that CUT_CARD comes before the next card",
}
