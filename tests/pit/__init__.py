"""The process of the pit: live edges and alarms."""
