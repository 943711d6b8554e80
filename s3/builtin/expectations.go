package builtin

import "github.com/lockpick-dev/lockpick/scenarios/expect"

var lockExpectations = []expect.Expectations{
	{Lock: "s3-lease", Reason: "."},
	{Lock: "s3-object", Reason: "."},
}

var flawedExpectations = []expect.Expectations{
	{Lock: "s3-repeated-put", Reason: "."},
}
