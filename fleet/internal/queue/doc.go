// Package queue hands out the pieces of a search over NATS JetStream: a stream keeps each until a worker has acknowledged it. A
// piece is leased: who does not say in time that he is still at it loses it to another. Nothing is lost by that, and nothing is
// wrong if both finish, since a piece has one result.
//
// A fleet has a name, and of that name a stream with the pieces, a key-value bucket with what workers must know, and subjects
// of plain NATS for what may be lost: reports, signs of life, the question for the status.
package queue
