import Testing

@testable import RoomModel
@testable import RoomServer

@Suite struct ExposureTests {
    private func refusal(_ authentication: Authentication, _ flags: String...) throws -> String? {
        let loaded = try ConfigurationLoader.load(flags: flags, environment: ["HOME": "/home/luke"], file: nil)
        let channel = ChannelSettings(id: .standard, authentication: authentication)
        return Exposure(loaded.configuration.listen).refusal(of: channel)
    }

    @Test(arguments: ["0.0.0.0:1", "[::]:1", "192.168.1.2:1", "broker.example.org:1", "127.evil.example:1"])
    func `an open channel on an address that others can reach needs a word`(address: String) throws {
        for flag in ["--tcp", "--http"] {
            for open in [Authentication.none, .optional] {
                let text = try #require(try self.refusal(open, flag, address))
                #expect(text.hasPrefix("\(flag) \(address) can be reached from other machines"))
                #expect(text.contains("--channel default,auth=required"))
                #expect(text.contains("--allow-open-channels"))
                #expect(try self.refusal(open, flag, address, "--allow-open-channels") == nil)
            }
            #expect(try self.refusal(.required, flag, address) == nil)
        }
    }

    @Test func `on this machine a channel may be open`() throws {
        #expect(try self.refusal(.none) == nil)
    }

    @Test func `behind a proxy strangers reach a loopback address, too`() throws {
        let text = try #require(try self.refusal(.none, "--trusted-proxies", "127.0.0.1"))
        #expect(text.contains("by way of --trusted-proxies"))
        #expect(try self.refusal(.none, "--trusted-proxies", "127.0.0.1", "--allow-open-channels") == nil)
        #expect(try self.refusal(.required, "--trusted-proxies", "127.0.0.1") == nil)
    }

    @Test func `a proxy's name for the HTTP side says that strangers come by it`() throws {
        let text = try #require(try self.refusal(.none, "--http-host", "chat.example"))
        #expect(text.hasPrefix("--http 127.0.0.1:10001"))
        #expect(text.contains("by way of --http-host"))
        #expect(try self.refusal(.required, "--http-host", "chat.example") == nil)
    }

    @Test func `one open channel among others is enough to refuse`() throws {
        var listen = ListenSettings()
        listen.tcp = ListenAddress(host: "0.0.0.0", port: 1)
        let closed = ChannelSettings(id: .standard, authentication: .required)
        try Exposure(listen).check([closed])
        #expect(throws: ConfigurationError.self) {
            try Exposure(listen).check([closed, ChannelSettings(id: .make("open"))])
        }
    }

    @Test(arguments: [
        (["--tcp", "0.0.0.0:1"], true), (["--http", "[::]:1"], true), ([], false),
        (["--tcp", "0.0.0.0:1", "--trusted-proxies", "10.0.0.0/8"], false),
    ])
    func `tokens that cross a network without TLS are warned of`(flags: [String], warns: Bool) throws {
        let listen = try ConfigurationLoader.load(flags: flags, environment: ["HOME": "/home/luke"], file: nil)
            .configuration.listen
        for authentication in [Authentication.optional, .required] {
            let channel = ChannelSettings(id: .standard, authentication: authentication)
            #expect(Exposure.plainAddresses(listen, [channel]).isEmpty == !warns)
        }
        #expect(Exposure.plainAddresses(listen, [ChannelSettings(id: .standard)]).isEmpty)
        var encrypted = listen
        (encrypted.tlsCertificate, encrypted.tlsKey) = ("certificate.pem", "key.pem")
        #expect(
            Exposure.plainAddresses(encrypted, [ChannelSettings(id: .standard, authentication: .required)]).isEmpty
        )
    }
}

extension ChannelID {
    fileprivate static func make(_ text: String) -> ChannelID { ChannelID(text) ?? .standard }
}
