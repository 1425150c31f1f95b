"""Hosts of services whose public interfaces spend money, reach people, or change what others use."""

from .destinations import matches_domain

_SERVICES = (
    "api.github.com gitlab.com name.com lambdalabs.com lambda.ai runpod.io vast.ai paypal.com stripe.com adyen.com "
    "braintreegateway.com squareup.com wise.com transferwise.com mollie.com klarna.com plaid.com mercury.com brex.com "
    "coinbase.com kraken.com binance.com alpaca.markets namecheap.com godaddy.com gandi.net dnsimple.com porkbun.com "
    "graph.facebook.com facebook.com googleads.googleapis.com fcm.googleapis.com linkedin.com twitter.com x.com "
    "mastodon.social bsky.social "
    "reddit.com mailchimp.com mailgun.net sendgrid.com postmarkapp.com brevo.com sendinblue.com klaviyo.com hubapi.com "
    "intercom.io customer.io onesignal.com twilio.com vonage.com nexmo.com messagebird.com telegram.org slack.com "
    "discord.com graph.microsoft.com zoom.us docusign.net hellosign.com pandadoc.com myshopify.com intuit.com xero.com "
    "gusto.com bamboohr.com okta.com auth0.com pagerduty.com opsgenie.com datadoghq.com statuspage.io launchdarkly.com "
    "vercel.com netlify.com heroku.com digitalocean.com hetzner.cloud fly.io cloudflare.com fastly.com linode.com vultr.com "
    "flagsmith.com split.io configcat.com chargebee.com recurly.com paddle.com zendesk.com freshdesk.com plivo.com sinch.com "
    "telnyx.com infobip.com clicksend.com sparkpost.com mandrillapp.com resend.com line.me webexapis.com"
).split()


def is_service_host(host: str) -> bool:
    """Returns whether a host is one of a service's, by its domain."""
    return matches_domain(host, _SERVICES)
