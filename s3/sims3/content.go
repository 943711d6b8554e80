package sims3

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// content returns the content of a PUT, and the fields after it. If the body is aws-chunked, it is divided into chunks,
// whose signatures are not verified.
func content(h http.Header, body []byte) (data []byte, trailer http.Header, e *failed) {
	if !strings.HasPrefix(h.Get("X-Amz-Content-Sha256"), "STREAMING-") {
		return body, http.Header{}, nil
	}
	length, err := strconv.Atoi(h.Get("X-Amz-Decoded-Content-Length"))
	if err != nil {
		return nil, nil, &noLength
	}
	for {
		line, rest, found := bytes.Cut(body, []byte("\r\n"))
		digits, _, _ := strings.Cut(string(line), ";")
		size, err := strconv.ParseUint(digits, 16, 31)
		if !found || err != nil {
			return nil, nil, &incompleteBody
		}
		if body = rest; size == 0 {
			break
		}
		if uint64(len(body)) < size+2 || string(body[size:size+2]) != "\r\n" {
			return nil, nil, &incompleteBody
		}
		data = append(data, body[:size]...)
		body = body[size+2:]
	}
	if len(data) != length {
		return nil, nil, &incompleteBody
	}
	trailer = http.Header{}
	for line := range strings.SplitSeq(string(body), "\r\n") {
		if name, value, found := strings.Cut(line, ":"); found {
			trailer.Set(strings.TrimSpace(name), strings.TrimSpace(value))
		}
	}
	return data, trailer, nil
}

// withoutChunked returns the codings of a body but aws-chunked, which S3 does not keep.
func withoutChunked(codings []string) string {
	var left []string
	for one := range strings.SplitSeq(strings.Join(codings, ","), ",") {
		if one = strings.TrimSpace(one); one != "" && one != "aws-chunked" {
			left = append(left, one)
		}
	}
	return strings.Join(left, ", ")
}

// nvme is the polynomial of CRC-64/NVME, reversed.
var nvme = crc64.MakeTable(0x9a6c9329ac4bc9b5)

// checksums are the algorithms, by the end of the header's name.
var checksums = map[string]func() hash.Hash{
	"Crc32":     func() hash.Hash { return crc32.NewIEEE() },
	"Crc32c":    func() hash.Hash { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) },
	"Crc64nvme": func() hash.Hash { return crc64.New(nvme) },
	"Sha1":      sha1.New,
	"Sha256":    sha256.New,
}

// sum is a checksum as a header.
type sum struct{ header, value string }

// verify compares the content with the checksums of the request and its trailer, and returns the one that is kept with
// the object: that of the request, or else CRC-64/NVME.
func verify(h, trailer http.Header, content []byte) (kept sum, e *failed) {
	of := func(algorithm string) sum {
		f := checksums[algorithm]()
		f.Write(content)
		return sum{checksum + algorithm, base64.StdEncoding.EncodeToString(f.Sum(nil))}
	}
	kept = of("Crc64nvme")
	for _, algorithm := range slices.Sorted(maps.Keys(checksums)) {
		given := h.Get(checksum + algorithm)
		if given == "" {
			given = trailer.Get(checksum + algorithm)
		}
		if given == "" {
			continue
		}
		if kept = of(algorithm); kept.value != given {
			return sum{}, &badDigest
		}
	}
	if given := h.Get("Content-Md5"); given != "" {
		if f := md5.Sum(content); given != base64.StdEncoding.EncodeToString(f[:]) {
			return sum{}, &badDigest
		}
	}
	if given := h.Get("X-Amz-Content-Sha256"); len(given) == 2*sha256.Size {
		if f := sha256.Sum256(content); given != hex.EncodeToString(f[:]) {
			return sum{}, &shaMismatch
		}
	}
	return kept, nil
}
