import Testing

@testable import RoomCluster
@testable import RoomServer

@Suite struct ConfigurationCheckTests {
    private func refusal(_ flags: String...) -> String? { self.refusal(flags) }

    private func refusal(_ flags: [String]) -> String? {
        do {
            _ = try ConfigurationLoader.load(flags: flags, environment: ["HOME": "/home/luke"], file: nil)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `TLS needs both files, readable`() throws {
        let (certificate, key) = (try TemporaryFile("certificate"), try TemporaryFile("key"))
        #expect(self.refusal("--tls-certificate", certificate.path)?.hasSuffix("--tls-key is missing") == true)
        #expect(self.refusal("--tls-key", key.path)?.hasSuffix("--tls-certificate is missing") == true)
        #expect(
            self.refusal("--tls-certificate", certificate.path, "--tls-key", "/nowhere/key.pem")
                == "--tls-key /nowhere/key.pem cannot be read: No such file or directory"
        )
        let loaded = try LoadedConfiguration.make("--tls-certificate", certificate.path, "--tls-key", key.path)
        #expect(loaded.configuration.listen.tls == TLSFiles(certificate: certificate.path, key: key.path))
    }

    @Test func `a PROXY header is believed of nobody by default`() {
        #expect(self.refusal("--proxy-protocol", "required")?.contains("--trusted-proxies 127.0.0.1") == true)
        #expect(self.refusal("--proxy-protocol", "required", "--trusted-proxies", "off") != nil)
        #expect(self.refusal("--proxy-protocol", "required", "--trusted-proxies", "10.0.0.0/8") == nil)
        #expect(self.refusal("--trusted-proxies", "10.0.0.0/8") == nil)
    }

    @Test func `what has to fit into another fits`() {
        #expect(
            self.refusal("--max-message", "256KiB")
                == "--max-message 256KiB does not fit into --max-line 128KiB: lower one or raise the other"
        )
        #expect(self.refusal("--max-client-data", "1MiB")?.contains("--max-line 128KiB") == true)
        #expect(self.refusal("--window-total", "1KiB")?.contains("--window-per-room 256KiB") == true)
        #expect(self.refusal("--max-room-name", "4")?.contains("--text-room lobby") == true)
        #expect(self.refusal("--max-message", "256KiB", "--max-line", "300KiB") == nil)
    }

    @Test func `a node of a cluster has one way to log in`() {
        #expect(
            self.refusal("--cluster-user", "ann")
                == "--cluster-user and --cluster-password-file go together: --cluster-password-file is missing"
        )
        #expect(self.refusal("--cluster-key", "k.pem")?.hasSuffix("--cluster-certificate is missing") == true)
        #expect(self.refusal("--cluster-nkey", "UABC")?.hasSuffix("--cluster-nkey-seed is missing") == true)
        let both = ["--cluster-user", "ann", "--cluster-password-file", "p", "--cluster-credentials", "c"]
        #expect(
            self.refusal(both)
                == "--cluster-credentials and --cluster-user are ways to log in, of which a node has one: leave one out"
        )
    }

    @Test(arguments: ["", "a:4222", "nats://a", "nats://a:4222,", "nats://ann:secret@a:4222", "http://a:4222"])
    func `an address of a nats-server has a scheme, a host and a port`(text: String) {
        #expect(self.refusal("--cluster", text)?.contains("nats://a:4222,nats://b:4222") == true)
    }

    @Test func `the servers of a cluster are read`() throws {
        let servers = "nats://a:4222,tls://[::1]:4223"
        let loaded = try LoadedConfiguration.make("--cluster", servers, "--cluster-name", "c-1")
        #expect(loaded.configuration.cluster.access?.servers == ["nats://a:4222", "tls://[::1]:4223"])
        #expect(loaded.configuration.cluster.streams.name.text == "c-1")
        #expect(self.refusal("--cluster-name", "1c")?.contains("1 to 32 of a-z 0-9 -") == true)
        #expect(try LoadedConfiguration.make("--cluster", "off").configuration.cluster.access == nil)
    }

    @Test func `a channel is given once`() {
        #expect(self.refusal("--channel", "a", "--channel", "a,history=1")?.contains("--channel a") == true)
    }
}
