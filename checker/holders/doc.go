// Package holders finds who had a lock in a history: by what its clients could believe (claims), and by the records of the
// stores (tenures). Begin with [New]; a property has the Holders in its checker.Judge. The package knows no property, and
// does not judge.
//
// [Holders.Claims] returns the claims, [Holders.Tenures] the tenures, and [Holders.At] the holders at a place. Events that
// change the holder otherwise, such as the move of a record to another server, are handled only here: in home.go,
// moved.go, forgot.go and serving.go.
//
// # Claims
//
// A client's claim on the lock runs from the return of its successful Acquire to the earliest of
//
//   - the call of its first Release (the client has left, whatever the answer is),
//   - Until, the end of validity by the client's own clock, if the lease has one,
//   - Lost, the signal that the lease is known to be lost, if it has one,
//   - the crash of the client.
//
// Without any of these it runs to the end of the history. A lease that is extended, by Extend or by itself, has the new
// Until from when the client learns of it. If the old Until had passed by then, another claim begins; if the new one has
// passed, the claim ends when the client learns of it.
//
// # Records
//
// Properties that need the holder compare the answers that clients get with the records of the authority
// ([model.Observation].Authority): the serving node, or the committed state of an ensemble. Records of followers
// grant nothing. If the lease is one value under one key, the acquisition that wrote the value has the lock as long
// as the key exists. The lock's keys are [Options].LockKeys or, by default, [model.History.LockKeys]. For a lock of
// several keys without an [Options].Ownership, properties that need the holder are not applicable.
//
// An Ownership reads all records of an authority at each change of one; an acquisition with a share has the lock as
// long as the share is granted. A share may begin because another record is gone, and end because another has come.
// It belongs to the acquisition that wrote the record that it rests on. A share ends in one of three ways. The record
// expires, by itself or with its session: the lease has then ended as granted. A request removes the record, or puts
// another before it. Or the record is lost in a restart or with its leader.
//
// A request that gives the lock up may write another holder's name into it. That is a grant to the acquisition whose own
// Acquire had written the name before, such as into a queue, or else to the only acquisition that succeeds while the name
// is there. If the owner of a value is not known, no client is blamed for it, and a property that would otherwise hold is
// not applicable. An Acquire also gives the lock up if it replaces its own live value by another one and does not succeed
// by that: the new value is another holder's name, or no name. A value that a process writes while none of its operations
// is open belongs to the lease that it had at that key before. A value left by an earlier acquisition of the same thread
// counts as a later one's own, since some locks identify their values by client. On independent nodes ([Options].Nodes)
// the majority must have the key.
package holders
