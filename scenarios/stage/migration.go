package stage

// Migrating is an [Authority] whose records can move to another server, part by part and record by record, while
// clients use them.
type Migrating interface {
	// Parts returns the authority's parts that clients have used, in the order of their names.
	Parts() []string
	// Migrate begins to move a part to another server. From then on the authority redirects clients there for
	// records of the part that it does not have. It returns an error if one of the two cannot.
	Migrate(part string, to *Server) (Migration, error)
}

// Migration is a part of a store's records on its way from one server to another. Its methods return an error if
// one of the two is down or hangs, or the migration is over.
type Migration interface {
	// Nodes returns the serving nodes of both ends.
	Nodes() (from, to Node)
	// Left returns the keys of the records that have not been moved.
	Left() ([]string, error)
	// Arrived returns the keys of the records of the part that the other end has.
	Arrived() []string
	// Move moves the record of a key. Done is called with the reason why that failed, or "",
	// unless an end crashes before. Replace overwrites a record of the key at the other end.
	Move(key string, replace bool, done func(reason string)) error
	// Finish makes the other server the authority of the part. Close informs the old one.
	Finish() error
	Close() error
	// Keep gives up the migration at the end that the part is moved from, and Forget at the other. They move
	// no record.
	Keep() error
	Forget() error
}

// SentOn is the event of a note that a client is redirected to another server for a record. The note's Owner is the
// client.
const SentOn = "sent-on"
