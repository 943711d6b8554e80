// Package queue hands out the pieces of a search over NATS JetStream: a stream keeps each until a worker has acknowledged
// it. A piece is leased: a worker that does not renew in time loses it to another. No result is lost by that, and two
// results do no harm, since they are the same.
//
// A fleet has a name, and under it a stream with the pieces, a key-value bucket with the facts for workers, and subjects
// of plain NATS for messages that may be lost: reports, signs of life, requests for the status.
package queue
