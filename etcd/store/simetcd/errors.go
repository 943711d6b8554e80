package simetcd

// status is how a call ends: one of gRPC's codes and a text. The zero value is success.
type status struct {
	code int
	text string
}

// gRPC's codes.
const (
	codeUnknown            = 2
	codeInvalidArgument    = 3
	codeNotFound           = 5
	codeFailedPrecondition = 9
	codeOutOfRange         = 11
	codeUnimplemented      = 12
	codeInternal           = 13
	codeUnavailable        = 14
)

// The errors of package rpctypes.
var (
	errEmptyKey          = status{codeInvalidArgument, "etcdserver: key is not provided"}
	errKeyNotFound       = status{codeInvalidArgument, "etcdserver: key not found"}
	errValueProvided     = status{codeInvalidArgument, "etcdserver: value is provided"}
	errLeaseProvided     = status{codeInvalidArgument, "etcdserver: lease is provided"}
	errTooManyOps        = status{codeInvalidArgument, "etcdserver: too many operations in txn request"}
	errDuplicateKey      = status{codeInvalidArgument, "etcdserver: duplicate key given in txn request"}
	errInvalidSort       = status{codeInvalidArgument, "etcdserver: invalid sort option"}
	errCompacted         = status{codeOutOfRange, "etcdserver: mvcc: required revision has been compacted"}
	errFutureRevision    = status{codeOutOfRange, "etcdserver: mvcc: required revision is a future revision"}
	errLeaseNotFound     = status{codeNotFound, "etcdserver: requested lease not found"}
	errLeaseExists       = status{codeFailedPrecondition, "etcdserver: lease already exists"}
	errLeaseTTLTooLarge  = status{codeOutOfRange, "etcdserver: too large lease TTL"}
	errAuthNotEnabled    = status{codeFailedPrecondition, "etcdserver: authentication is not enabled"}
	errNoLeader          = status{codeUnavailable, "etcdserver: no leader"}
	errLeaderChanged     = status{codeUnavailable, "etcdserver: leader changed"}
	errTimeout           = status{codeUnavailable, "etcdserver: request timed out"}
	errTimeoutLeaderFail = status{codeUnavailable, "etcdserver: request timed out, possibly due to previous leader failure"}
	errTimeoutConnection = status{codeUnavailable, "etcdserver: request timed out, possibly due to connection lost"}
	errNotPrimary        = status{codeUnknown, "not a primary lessor"}
	errMalformed         = status{codeInternal, "grpc: error unmarshalling request"}
)

// Why a watch is not created.
const (
	reasonEmptyRange  = "mvcc: watcher range is empty"
	reasonDuplicateID = "mvcc: duplicate watch ID provided on the WatchStream"
)
