package traces

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

var shrunkEnd = regexp.MustCompile(`\.shrunk([0-9]{0,6})$`)

// ShrunkPath returns the path for the shrunk form of the trace in a file: x.shrunk.json for x.json, x.shrunk2.json for
// that, and so on.
func ShrunkPath(file string) string {
	base := strings.TrimSuffix(file, filepath.Ext(file))
	times := shrunkEnd.FindStringSubmatch(base)
	if times == nil {
		return base + ".shrunk.json"
	}
	n, err := strconv.Atoi(times[1])
	if err != nil {
		n = 1 // the first has no number
	}
	return fmt.Sprintf("%s.shrunk%d.json", strings.TrimSuffix(base, times[0]), n+1)
}

// MayReplace returns an error if the file at path, a default path, is not an earlier result of shrinking the same trace.
func MayReplace(path string, old *Trace) error {
	there, err := ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && there.Shrunk != nil && there.Scenario == old.Scenario && there.Lock == old.Lock && there.Violation() == old.Violation():
		return nil
	}
	return fmt.Errorf("%s exists, and is not a shrunk trace of %s by %s in %s", path, old.Violation(), old.Lock, old.Scenario)
}
