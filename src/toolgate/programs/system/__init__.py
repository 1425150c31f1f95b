"""Programs that change the machine: accounts, disks, processes, services, network settings, Windows."""
