"""Programs that transfer files, open connections and serve."""
