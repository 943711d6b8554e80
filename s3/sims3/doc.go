// Package sims3 simulates Amazon S3 inside a world of package sim: a bucket behind one server, with the conditional
// requests that locks are made of.
//
//	s := sims3.New(world, sims3.Options{}, observe)
//
// Clients speak HTTP/1.1 with it (package simhttp), in path style and without TLS.
//
// # What is modelled
//
//   - PutObject with If-None-Match: * or If-Match, DeleteObject with If-Match, GetObject and HeadObject with If-Match
//     or If-None-Match, HeadBucket, and ListObjectsV2 with a prefix, pages and URL encoding. Each is executed in one step
//     when its request has come whole. S3 is strongly consistent since December 2020, lists included.
//   - The answers to conditions that do not hold: 412 PreconditionFailed; 404 NoSuchKey for If-Match where there is no
//     object; 304 for a GET with If-None-Match. A PUT with If-None-Match and an ETag fails the run: S3 accepts only *, and
//     its documentation does not say how it refuses others.
//   - ETags are the MD5 of the content, as those of objects that are not encrypted by KMS and are not of several parts.
//     So an object that is written again with the same content has the same ETag.
//   - Metadata of users, checksums (CRC-32, CRC-32C, CRC-64/NVME, SHA-1, SHA-256, Content-MD5, x-amz-content-sha256), and
//     bodies that are aws-chunked, with checksums in the trailer.
//   - Dates by the service's own clock, in whole seconds: Date, Last-Modified, and 403 RequestTimeTooSkewed for a
//     request whose date is more than 15 minutes off.
//   - Failures of single requests ([Server.Fail]): 503 SlowDown, 500 InternalError of a request that was not executed or
//     that was, and 409 ConditionalRequestConflict, with which S3 may refuse a conditional PUT while the object is being
//     deleted.
//   - Faults of the server: crash and restart with all objects, hangs, and a clock that jumps.
//
// # What is not
//
// Signatures are not verified: a request only has to have one. Versions, several parts, copies, ranges, tags, access
// rights, encryption that is asked for, conditions by date, other buckets and requests in virtual-hosted style: a request
// that asks for any of these fails the run, by name. There is one server, where S3 has many, and one clock; nothing says
// how far the clocks of S3's servers are apart.
//
// # Fidelity
//
// It follows S3's documentation. A 404 for a DELETE with If-Match of an object that does not exist is what users of S3
// have measured (github.com/localstack/localstack/issues/13894); the documentation leaves it open. Tests compare random
// requests with the server library github.com/johannesboyne/gofakes3, and list where that differs from the
// documentation. No test has asked S3 itself.
//
// # Observations
//
// Each object is a record under its key, with its content.
//
// # Threads
//
// Everything belongs to the conductor, as in package sim.
package sims3
