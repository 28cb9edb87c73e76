"""A rate adaptation of a DASH client; see `help(ackclock.RateAdaptation)`.

As it stands it is the rule `throughput` with the mean of all downloads. Change what is to be different.
"""

import ackclock


@ackclock.rate_adaptation("template-name")
class TemplateName(ackclock.RateAdaptation):
    """The highest level within the mean throughput, the lowest while the buffer is low."""

    safety = ackclock.parameter(1.0, 0.1, 10, "part of the mean throughput that is used")

    def start(self, video):
        """The client is created: video.ladder, bit/s; video.segment, video.buffer and video.target, seconds."""
        self.ladder = video.ladder
        self.low = 0.3 * video.target
        self.bits = 0
        self.seconds = 0.0

    def on_segment(self, download):
        """A segment has arrived: download.level, download.bytes, download.bps, and times in seconds."""
        self.bits += 8 * download.bytes
        self.seconds += download.done - download.requested

    def choose(self, playback):
        """The level of the next segment: playback.buffer, playback.last, playback.sizes and so on are there."""
        if self.seconds == 0 or playback.buffer < self.low:
            return 0
        usable = self.safety * self.bits / self.seconds
        return max((level for level, bps in enumerate(self.ladder) if bps <= usable), default=0)
