package store

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
)

// signIn is the source of a connection's credentials, as far as it can be renewed.
type signIn struct {
	profile string // AWS profile, "" for none
	sso     bool   // from IAM Identity Center
	console bool   // from `aws login`
}

// signInOf follows a role to the profile from which it is assumed.
func signInOf(cfg aws.Config, profile string) signIn {
	s := signIn{profile: cmp.Or(profile, os.Getenv("AWS_PROFILE"))}
	for _, source := range cfg.ConfigSources {
		shared, ok := source.(config.SharedConfig)
		if !ok {
			continue
		}
		for role := &shared; role != nil; role = role.Source {
			s.sso = s.sso || role.SSOSessionName != "" || role.SSOStartURL != ""
			s.console = s.console || role.LoginSession != ""
		}
	}
	return s
}

func (s signIn) command() []string {
	var words []string
	switch {
	case s.sso:
		words = []string{"aws", "sso", "login"}
	case s.console:
		words = []string{"aws", "login"}
	default:
		return nil
	}
	if s.profile != "" {
		words = append(words, "--profile", s.profile)
	}
	return words
}

func (s signIn) renew() string {
	words := s.command()
	switch {
	case words != nil:
		return "run " + strings.Join(words, " ")
	case s.profile != "":
		return fmt.Sprintf("renew the credentials of AWS profile %s, for SSO with aws sso login --profile %[1]s", s.profile)
	}
	return "get new ones and set AWS_PROFILE, or AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN"
}
