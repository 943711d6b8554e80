package storage

import (
	"slices"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// Sequence is a sequence. The rules for its Info are those of a [Table].
type Sequence struct {
	OID       uint32
	Schema    string
	Name      string
	Type      types.OID
	Start     int64
	Increment int64
	Min, Max  int64
	Cycle     bool
	Info      any // the executor's: the column that owns it

	object
	last   int64 // the last number, or the next one if it was not called
	called bool
	log    int   // how many more numbers the log has
	safe   int64 // the last number of the log, with which the sequence goes on after a crash
}

// logAhead is how many numbers PostgreSQL logs before they are given: SEQ_LOG_VALS.
const logAhead = 32

// CreateSequence adds a sequence.
func (b *Backend) CreateSequence(s *Sequence) error {
	if err := b.claimName(s.Schema, s.Name, false); err != nil {
		return err
	}
	if s.OID == 0 {
		s.OID = b.db.nextOID()
	}
	s.created = b.writer()
	s.last, s.safe = s.Start, s.Start
	b.db.addSequence(s)
	b.OnAbort(func() { b.db.removeSequence(s) })
	b.txn.redefines()
	b.txn.sequences = append(b.txn.sequences, s)
	return nil
}

func (db *Database) addSequence(s *Sequence) {
	db.sequences = append(db.sequences, s)
	byOID(db.sequences, func(s *Sequence) uint32 { return s.OID })
}

func (db *Database) removeSequence(s *Sequence) {
	db.sequences = slices.DeleteFunc(db.sequences, func(o *Sequence) bool { return o == s })
}

// AlterSequence changes a sequence by the function change, which is undone if the transaction is rolled back.
func (b *Backend) AlterSequence(s *Sequence, change func()) {
	old := *s
	b.writer()
	change()
	b.OnAbort(func() {
		s.Schema, s.Name, s.Type, s.Start, s.Increment = old.Schema, old.Name, old.Type, old.Start, old.Increment
		s.Min, s.Max, s.Cycle, s.Info = old.Min, old.Max, old.Cycle, old.Info
	})
	b.txn.redefines()
	b.txn.sequences = append(b.txn.sequences, s)
}

// DropSequence drops a sequence.
func (b *Backend) DropSequence(s *Sequence) {
	s.dropped = b.writer()
	b.OnAbort(func() { s.dropped = nil })
	b.OnCommit(func() { b.db.removeSequence(s) })
	b.txn.redefines()
	b.txn.sequences = append(b.txn.sequences, s)
}

// LookupSequence returns a sequence that the backend sees, or nil.
func (b *Backend) LookupSequence(schema, name string) *Sequence {
	for _, s := range b.db.sequences {
		if s.Schema == schema && s.Name == name && s.isSeen(b) {
			return s
		}
	}
	return nil
}

// Sequences returns all sequences that the backend sees, in the order of their OIDs.
func (b *Backend) Sequences() (list []*Sequence) {
	for _, s := range b.db.sequences {
		if s.isSeen(b) {
			list = append(list, s)
		}
	}
	return list
}

// State returns the last number of the sequence, and whether it was given to anyone.
func (s *Sequence) State() (last int64, called bool) { return s.last, s.called }

// after returns the number after another.
func (s *Sequence) after(n int64) (int64, error) {
	switch {
	case s.Increment > 0 && n > s.Max-s.Increment:
		if !s.Cycle {
			return 0, pgerror.New(pgerror.SequenceGeneratorLimit, "nextval: reached maximum value of sequence %q (%d)", s.Name, s.Max)
		}
		return s.Min, nil
	case s.Increment < 0 && n < s.Min-s.Increment:
		if !s.Cycle {
			return 0, pgerror.New(pgerror.SequenceGeneratorLimit, "nextval: reached minimum value of sequence %q (%d)", s.Name, s.Min)
		}
		return s.Max, nil
	}
	return n + s.Increment, nil
}

// NextValue returns the sequence's next number. It is not taken back with the transaction.
func (b *Backend) NextValue(s *Sequence) (int64, error) {
	next, ahead := s.last, logAhead
	if s.called {
		n, err := s.after(s.last)
		if err != nil {
			return 0, err
		}
		next = n
	}
	if s.log == 0 || !s.called {
		safe := next
		for range ahead {
			n, err := s.after(safe)
			if err != nil {
				break
			}
			safe = n
			s.log++
		}
		b.logSequence(s, safe)
		s.log = min(s.log, ahead)
	} else {
		s.log--
	}
	s.last, s.called = next, true
	b.numbers[s], b.last = next, s
	return next, nil
}

// logSequence notes that the log has numbers up to one, which replicas get with the next commit.
func (b *Backend) logSequence(s *Sequence, safe int64) {
	b.writer()
	s.safe = safe
	if !slices.Contains(b.db.logged, s) {
		b.db.logged = append(b.db.logged, s)
	}
}

// SetValue sets the sequence's last number. If it was not called, the next number is that one.
func (b *Backend) SetValue(s *Sequence, value int64, called bool) error {
	if value < s.Min || value > s.Max {
		return pgerror.New(pgerror.NumericValueOutOfRange, "setval: value %d is out of bounds for sequence %q (%d..%d)", value, s.Name, s.Min, s.Max)
	}
	s.last, s.called, s.log = value, called, 0
	b.logSequence(s, value)
	if called {
		b.numbers[s] = value
	}
	return nil
}

// CurrentValue returns the number that the backend last got from a sequence: currval. The error is 55000 if it got none.
func (b *Backend) CurrentValue(s *Sequence) (int64, error) {
	if n, is := b.numbers[s]; is {
		return n, nil
	}
	return 0, pgerror.New(pgerror.ObjectNotInPrerequisiteState, "currval of sequence %q is not yet defined in this session", s.Name)
}

// LastValue returns the number that the backend last got from any sequence: lastval. The error is 55000 if it got none.
func (b *Backend) LastValue() (int64, error) {
	if b.last == nil || !b.last.isSeen(b) {
		return 0, pgerror.New(pgerror.ObjectNotInPrerequisiteState, "lastval is not yet defined in this session")
	}
	return b.CurrentValue(b.last)
}

// DiscardSequences forgets which numbers the backend got: DISCARD SEQUENCES.
func (b *Backend) DiscardSequences() { b.numbers, b.last = map[*Sequence]int64{}, nil }

// crash makes the sequence go on as its log has it.
func (s *Sequence) crash() {
	if s.called && s.safe != s.last {
		s.last = s.safe
	}
	s.log = 0
}
