package storage

// Definitions returns a number that grows when something is defined, altered or dropped. While a transaction that does so is under
// way the definitions are not settled: it sees other ones than the rest.
func (b *Backend) Definitions() (n int64, settled bool) { return b.db.definitions, b.db.defining == 0 }

// Plans returns what the executor keeps with the database for all backends, as long as the server runs.
func (b *Backend) Plans() *any { return &b.db.plans }

// redefines notes that the transaction changes a definition.
func (t *Txn) redefines() {
	if !t.defining {
		t.defining = true
		t.db.defining++
	}
}

// settle notes that the transaction has ended: now all see its definitions, or nobody.
func (t *Txn) settle() {
	if t.defining {
		t.db.definitions++
		t.db.defining--
	}
}
