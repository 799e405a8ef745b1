"""Who is notified of an incident, and how? Channels send messages to webhooks, e-mail addresses, programs or services.

A channel is a plain value; it names the environment variables that hold its secrets, and never the secrets themselves.
"""

from shiftproof.alerts._channels import Apprise, Email, Program, Webhook
from shiftproof.alerts._channels import Channel as Channel
from shiftproof.alerts._channels import channel_of as channel_of
from shiftproof.alerts._channels import check_channel as check_channel
from shiftproof.alerts._channels import settings_of as settings_of
from shiftproof.alerts._failures import Undelivered as Undelivered
from shiftproof.alerts._message import AlertMessage as AlertMessage
from shiftproof.alerts._send import LONGEST_SEND as LONGEST_SEND
from shiftproof.alerts._send import send as send
from shiftproof.alerts._signature import verify

__all__ = ["Apprise", "Email", "Program", "Webhook", "verify"]
