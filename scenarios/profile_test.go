package scenarios_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"testing"
)

// sample is one entry of a CPU profile: how often this stack was seen, and the
// names of its functions, innermost first.
type sample struct {
	count int64
	stack []string
}

// readProfile reads a CPU profile as runtime/pprof writes it: a gzipped
// protocol buffer, of which it wants four fields (see profile.proto of
// github.com/google/pprof).
func readProfile(tb testing.TB, profile []byte) (samples []sample) {
	tb.Helper()
	unzip, err := gzip.NewReader(bytes.NewReader(profile))
	if err != nil {
		tb.Fatal(err)
	}
	raw, err := io.ReadAll(unzip)
	if err != nil {
		tb.Fatal(err)
	}
	var texts []string
	names := map[uint64]uint64{}    // of functions: numbers of texts
	places := map[uint64][]uint64{} // functions of a location, innermost first
	eachField(raw, func(field int, _ uint64, data []byte) {
		switch field {
		case 4:
			place := numbers(data, 1)[0]
			eachField(data, func(field int, _ uint64, line []byte) {
				if field == 4 {
					places[place] = append(places[place], numbers(line, 1)...)
				}
			})
		case 5:
			names[numbers(data, 1)[0]] = numbers(data, 2)[0]
		case 6:
			texts = append(texts, string(data))
		}
	})
	eachField(raw, func(field int, _ uint64, data []byte) {
		if field != 2 {
			return
		}
		s := sample{count: int64(numbers(data, 2)[0])}
		for _, place := range numbers(data, 1) {
			for _, function := range places[place] {
				s.stack = append(s.stack, texts[names[function]])
			}
		}
		samples = append(samples, s)
	})
	return samples
}

// eachField goes over the fields of a message: numbers and byte strings.
func eachField(message []byte, f func(field int, number uint64, data []byte)) {
	next := func() uint64 {
		v, n := binary.Uvarint(message)
		message = message[max(n, 1):]
		return v
	}
	for len(message) > 0 {
		switch key := next(); key & 7 {
		case 0:
			f(int(key>>3), next(), nil)
		case 2:
			size := next()
			f(int(key>>3), 0, message[:size])
			message = message[size:]
		default:
			panic("a profile has no other kinds of fields")
		}
	}
}

// numbers are the values of one field, packed or not.
func numbers(message []byte, want int) (list []uint64) {
	eachField(message, func(field int, number uint64, data []byte) {
		switch {
		case field != want:
		case data == nil:
			list = append(list, number)
		default:
			for len(data) > 0 {
				v, n := binary.Uvarint(data)
				list, data = append(list, v), data[n:]
			}
		}
	})
	return list
}
