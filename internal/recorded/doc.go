// Package recorded carries out the commands about a recorded trace: [Replay], [Shrink] and [Diff]. They run in the process that has the
// lock of the trace: program simrun, or the test binary of a lock that only a test has. Program simrun starts that binary and sends it the
// command ([Ask]); the binary answers by [Serve]. So both fronts give the same answer.
package recorded
