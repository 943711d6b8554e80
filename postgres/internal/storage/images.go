package storage

// Changes are the changes of a commit, as replicas get them.
type Changes struct{}

// Replicate applies a commit of another database, which is the source of this one. It ignores locks of this one's backends.
func (db *Database) Replicate(c *Changes) { panic("not yet") }

// Copy is the committed data of a database.
type Copy struct{}

// Copy copies the committed data.
func (db *Database) Copy() *Copy { panic("not yet") }

// Load replaces the data. It reports rows that only this database had, or had with other values,
// as dropped. There must be no backends.
func (db *Database) Load(c *Copy) { panic("not yet") }
