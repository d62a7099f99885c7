/// Whose word is taken for another's address.
extension OptionTable {
    static let proxies = Section(
        title: "Proxies",
        options: [
            ConfigurationOption(
                "proxy-protocol",
                \.listen.proxyProtocol,
                .choice(),
                """
                Whether each connection to --tcp begins with a PROXY header (version 1 or 2), as HAProxy, nginx and load \
                balancers send it; it needs --trusted-proxies.
                """
            ),
            ConfigurationOption(
                "trusted-proxies",
                \.listen.trustedProxies,
                .word("off", or: .addressRanges),
                """
                The proxies whose PROXY header, and whose X-Forwarded-For over HTTP, say where a client comes from. Limits \
                for each IP address go by that.
                """
            ),
        ]
    )
}
