"""Where the brief index keeps its entries: one module a store, all behind `port.Store`."""
