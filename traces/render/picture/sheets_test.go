package picture

import "testing"

// TestPolicy: the policy has the hash of each text, as a browser computes it.
func TestPolicy(t *testing.T) {
	const empty, x = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='", "'sha256-LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE='"
	for _, test := range []struct{ got, want string }{
		{Policy(""), "default-src 'none'; style-src " + empty + "; base-uri 'none'; form-action 'none'"},
		{Policy("x", ""), "default-src 'none'; script-src " + empty + "; style-src " + x + "; base-uri 'none'; form-action 'none'"},
	} {
		if test.got != test.want {
			t.Errorf("the policy is\n%s\nwant\n%s", test.got, test.want)
		}
	}
}
