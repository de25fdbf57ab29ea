"""The DevStack plugin, run phase by phase under bash."""
