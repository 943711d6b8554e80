package bench

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
)

// sources are the files that somebody writes for an arm, as patterns below the repository's root.
func sources(a trial.Arm) []string {
	if !a.Waits() {
		return []string{"examples/mysql/*_test.go"}
	}
	common := []string{"bench/lockbench/arms/stress.go", "bench/lockbench/arms/a_proxy.go", "real/stress/*.go", "real/internal/gate/*.go", "real/internal/recording/*.go"}
	switch a.ID() {
	case "B":
		common = append(common, "bench/lockbench/arms/b_chaos.go")
	case "C":
		common[1] = "bench/lockbench/arms/c_requests.go"
	}
	return common
}

// lines counts the lines of an arm's test.
func (p Page) lines(a trial.Arm) string {
	total := 0
	for _, pattern := range sources(a) {
		files, err := filepath.Glob(filepath.Join(p.Root, pattern))
		if err != nil || len(files) == 0 {
			return "?"
		}
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") && a.Waits() {
				continue
			}
			n, err := codeLines(f)
			if err != nil {
				return "?"
			}
			total += n
		}
	}
	return fmt.Sprint(total)
}

// codeLines counts the lines of a file of Go that have more than comments.
func codeLines(path string) (int, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	files := token.NewFileSet()
	file := files.AddFile(path, -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	lines := map[int]bool{}
	for {
		at, tok, text := s.Scan()
		if tok == token.EOF {
			return len(lines), nil
		}
		if tok == token.SEMICOLON && text == "\n" {
			continue
		}
		first := file.Line(at)
		for i := range bytes.Count([]byte(text), []byte("\n")) + 1 {
			lines[first+i] = true
		}
	}
}
