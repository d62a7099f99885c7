import RoomCluster

/// The cluster of which the broker is a node.
extension OptionTable {
    static let cluster = Section(
        title: "Cluster",
        options: [
            ConfigurationOption(
                "cluster",
                \.cluster.servers,
                .word("off", or: .natsServers),
                """
                Run as a node of a cluster: the addresses of its nats-servers, with commas between them; the first one is \
                preferred. All nodes of a cluster serve the same rooms. It needs a build with the trait Cluster.
                """
            ),
            ConfigurationOption(
                "cluster-name",
                \.cluster.streams.name,
                .clusterName,
                "The name of the cluster, the same on all nodes. Clusters with different names can share nats-servers."
            ),
            ConfigurationOption(
                "cluster-partitions",
                \.cluster.streams.partitions,
                .count(1...256),
                "Into how many logs the rooms are divided. It is fixed once the first node has started."
            ),
            ConfigurationOption(
                "cluster-replicas",
                \.cluster.streams.replicas,
                .count(1...5),
                "On how many nats-servers each log is kept. With 3, one of three servers may fail."
            ),
            ConfigurationOption(
                "cluster-ca",
                \.cluster.authorities,
                .word("off", or: .path),
                "The file with the authorities that have signed the certificates of the nats-servers, in PEM format."
            ),
            ConfigurationOption(
                "cluster-certificate",
                \.cluster.certificate,
                .word("off", or: .path),
                "The file with the certificate that the node shows to nats-servers, in PEM format."
            ),
            ConfigurationOption(
                "cluster-key",
                \.cluster.key,
                .word("off", or: .path),
                "The file with the private key of that certificate, in PEM format."
            ),
            ConfigurationOption(
                "cluster-credentials",
                \.cluster.credentials,
                .word("off", or: .path),
                "The file with the credentials of the node's NATS user, as nsc writes it."
            ),
            ConfigurationOption(
                "cluster-user",
                \.cluster.user,
                .word("off", or: .natsUser),
                "The name of the node's NATS user, if that has a password."
            ),
            ConfigurationOption(
                "cluster-password-file",
                \.cluster.passwordFile,
                .word("off", or: .path),
                "The file whose only line is the password of that user."
            ),
            ConfigurationOption(
                "cluster-nkey",
                \.cluster.nkey,
                .word("off", or: .natsUser),
                "The public NKey of the node's NATS user, if that has one."
            ),
            ConfigurationOption(
                "cluster-nkey-seed",
                \.cluster.nkeySeedFile,
                .word("off", or: .path),
                "The file with the seed of that NKey."
            ),
            ConfigurationOption(
                "cluster-monitoring",
                \.cluster.monitoring,
                .word("off", or: .natsMonitoring),
                """
                The addresses of the HTTP monitoring of all nats-servers, with commas between them. They tell the node whether \
                the servers sync what they acknowledge, which a channel with durability=power needs.
                """
            ),
        ]
    )
}

extension ValueForm<[String]> {
    /// Passwords are in files, so that no list of processes shows them.
    fileprivate static var natsServers: ValueForm {
        self.urls(
            ["nats://", "tls://"],
            allowed: "addresses such as nats://a:4222,nats://b:4222 or tls://a:4222, without a user or a password"
        )
    }

    fileprivate static var natsMonitoring: ValueForm {
        self.urls(["http://"], allowed: "addresses such as http://a:8222,http://b:8222")
    }

    private static func urls(_ schemes: [String], allowed: String) -> ValueForm {
        ValueForm(
            "URL[,URL…]",
            allowed: allowed,
            format: { $0.joined(separator: ",") },
            read: { text in
                let urls = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
                return urls.allSatisfy { Self.isServer($0, schemes) } ? urls : nil
            }
        )
    }

    private static func isServer(_ url: String, _ schemes: [String]) -> Bool {
        guard let scheme = schemes.first(where: url.hasPrefix) else { return false }
        return ListenAddress(String(url.dropFirst(scheme.count))).map { $0.port > 0 } ?? false
    }
}

extension ValueForm<String> {
    fileprivate static var natsUser: ValueForm {
        ValueForm(
            "NAME",
            allowed: "a name without blanks",
            format: { $0 },
            read: { $0.isEmpty || $0.contains(where: \.isWhitespace) ? nil : $0 }
        )
    }
}

extension ValueForm<ClusterName> {
    fileprivate static var clusterName: ValueForm {
        ValueForm("NAME", allowed: "1 to 32 of a-z 0-9 -, of which a letter is first", format: \.text) {
            ClusterName($0)
        }
    }
}
