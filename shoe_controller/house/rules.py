"""The rules of a shoe: from the table's configuration to the texts stored at its opening, and back to a house."""

from shoe_controller.baccarat.house import House
from shoe_controller.config.table_file import Config, RunningConfig
from shoe_controller.house.texts import house_from_texts
from shoe_controller.table.state import RulesSource


def rules_of(config: Config | RunningConfig) -> RulesSource:
    return RulesSource(
        house=config.house_text,
        catalogue=config.catalogue_texts,
        procedure=config.procedure,
        currency="" if config.table is None else config.table.currency,
        decimals=2 if config.table is None else config.table.decimals,
    )


def read_rules(source: RulesSource) -> House:
    return house_from_texts(source.house, source.catalogue)
