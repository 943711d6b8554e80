package simrun

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

// values reads the words after flags. Kong takes every word that begins with a minus for a flag, and suggests --runs="-5"
// for --runs -5. No flag here begins with a minus and a digit: such a word is a value, and the check of its range reports
// it.
func values() []kong.Option {
	text := kong.NewRegistry().RegisterDefaults().ForType(reflect.TypeFor[string]())
	return []kong.Option{
		kong.KindMapper(reflect.Int, kong.MapperFunc(integer)),
		kong.KindMapper(reflect.Uint64, kong.MapperFunc(natural)),
		kong.KindMapper(reflect.String, kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
			if word := ctx.Scan.Peek(); negative(word) {
				ctx.Scan.Pop()
				ctx.Scan.PushTyped(word.Value, kong.FlagValueToken)
			}
			return text.Decode(ctx, target)
		})),
	}
}

// negative reports whether a word looks like a negative number.
func negative(word kong.Token) bool {
	s, ok := word.Value.(string)
	return ok && len(s) > 1 && s[0] == '-' && strings.ContainsRune("0123456789", rune(s[1]))
}

// integer reads a whole number. The command checks its range.
func integer(ctx *kong.DecodeContext, target reflect.Value) error {
	word := ctx.Scan.Pop()
	n, err := strconv.ParseInt(word.String(), 0, 0)
	if err != nil {
		return noNumber("a whole number such as "+ctx.Value.Default, word)
	}
	target.SetInt(n)
	return nil
}

// natural reads a whole number that is not negative.
func natural(ctx *kong.DecodeContext, target reflect.Value) error {
	word := ctx.Scan.Pop()
	n, err := strconv.ParseUint(word.String(), 0, 64)
	if err != nil {
		return noNumber(fmt.Sprintf("a whole number from 0 to %d", uint64(math.MaxUint64)), word)
	}
	target.SetUint(n)
	return nil
}

// noNumber returns an error before which kong puts the flag.
func noNumber(want string, word kong.Token) error {
	if word.IsEOL() {
		return fmt.Errorf("want %s, got nothing", want)
	}
	return fmt.Errorf("want %s, got %q", want, word.String())
}
