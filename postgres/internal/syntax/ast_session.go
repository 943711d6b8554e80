package syntax

// TransactionKind is what a transaction statement does.
type TransactionKind int

// The transaction statements.
const (
	Begin TransactionKind = iota + 1
	StartTransaction
	Commit
	Rollback
	Savepoint
	RollbackTo
	Release
)

// Transaction is a statement that begins, ends or divides a transaction.
type Transaction struct {
	Kind TransactionKind
	// Modes are of Begin and StartTransaction.
	Modes TransactionModes
	// Name is the savepoint.
	Name string
	// Chain is AND CHAIN.
	Chain bool
}

// TransactionModes are modes of a transaction, each as given or "" or nil.
type TransactionModes struct {
	// Isolation is "serializable", "repeatable read", "read committed" or "read uncommitted".
	Isolation            string
	ReadOnly, Deferrable *bool
}

// SetTransaction is SET TRANSACTION, or SET SESSION CHARACTERISTICS AS TRANSACTION with Session.
type SetTransaction struct {
	Session bool
	Modes   TransactionModes
}

// Set is SET of a parameter. Values are the words or literals as texts; empty with Default, for SET ... TO DEFAULT.
type Set struct {
	Name    string
	Local   bool
	Default bool
	Values  []SetValue
}

// SetValue is one of the comma-separated values of SET. A number or a quoted string has a kind, a word String.
type SetValue struct {
	Kind ConstKind
	Text string
}

// Reset is RESET; Name is "all" for RESET ALL.
type Reset struct{ Name string }

// Show is SHOW; Name is "all" for SHOW ALL.
type Show struct{ Name string }

// Discard is DISCARD; What is "ALL", "PLANS", "SEQUENCES" or "TEMP".
type Discard struct{ What string }

// Listen is LISTEN.
type Listen struct{ Channel string }

// Unlisten is UNLISTEN; Channel is "*" for all.
type Unlisten struct{ Channel string }

// Notify is NOTIFY.
type Notify struct {
	Channel string
	Payload string
}

// Prepare is PREPARE.
type Prepare struct {
	Name  string
	Types []TypeName
	Query Statement
}

// Execute is EXECUTE.
type Execute struct {
	Name string
	Args []Expr
}

// Deallocate is DEALLOCATE; Name is "" for all.
type Deallocate struct{ Name string }

// LockTable is LOCK TABLE. Mode is as "ACCESS EXCLUSIVE".
type LockTable struct {
	Tables []Name
	Mode   string
	Nowait bool
}

// Maintain is ANALYZE, VACUUM, REINDEX, CLUSTER or CHECKPOINT: Word is which.
type Maintain struct {
	Word   string
	Tables []Name
}

func (*Transaction) statement()    {}
func (*SetTransaction) statement() {}
func (*Set) statement()            {}
func (*Reset) statement()          {}
func (*Show) statement()           {}
func (*Discard) statement()        {}
func (*Listen) statement()         {}
func (*Unlisten) statement()       {}
func (*Notify) statement()         {}
func (*Prepare) statement()        {}
func (*Execute) statement()        {}
func (*Deallocate) statement()     {}
func (*LockTable) statement()      {}
func (*Maintain) statement()       {}
